/**
 * Programs that run other commands, with their option syntax. This table is the only source for inner commands: for rules
 * that prompt or forbid, and for the search for forced removal.
 */

/** The option syntax of a program, and what it runs. By default the words after its options are a command. */
export interface Wrapper {
  /** Short options without a value. */
  readonly flags?: string;
  /** Short options whose value is the rest of the word, or the next word. */
  readonly values?: string;
  /** Short options with an optional value in the rest of the word. */
  readonly optional?: string;
  /** Long options. One with `=` takes a value, which may be the next word. Abbreviations are accepted. */
  readonly long?: string;
  /** Whether `-5` is an option. */
  readonly numbers?: true;
  /** Whether `-` alone is an option. */
  readonly dash?: true;
  /** The number of operands before the command, such as the duration of `timeout`. */
  readonly operands?: number;
  /** Whether `NAME=value` may precede the command. */
  readonly assignments?: true;
  /** The option whose value is split into the words that follow. */
  readonly splits?: string;
  /** Whether the words after the options are joined and run as a script. */
  readonly joins?: true;
  /** Options whose value is a script. They may also follow operands. */
  readonly scripts?: string;
  /** Whether `-c script` may replace the command. */
  readonly trailing?: true;
  /** Words that are followed by a command. */
  readonly actions?: RegExp;
}

const FIND = /^-(?:exec|ok)(?:dir)?$/;
const FD = /^-[A-Za-z]*[xX]$|^--exec(?:-batch)?$/;
const GDB = /^--?args$/;
const USER = "command= session-command= fast login preserve-environment pty no-pty shell= group= supp-group=";

const ARCHITECTURE: Wrapper = {
  flags: "vhRFILSTXZB3",
  optional: "p",
  long: "uname-2.6 verbose addr-no-randomize 3gb 4gb 32bit show",
};

const ROWS: Readonly<Record<string, Wrapper>> = {
  "-": {},
  builtin: {},
  busybox: {},
  caffeinate: { flags: "dimsu", values: "tw" },
  catchsegv: {},
  cgexec: { values: "g", long: "sticky" },
  choom: { values: "np", long: "adjust= pid=" },
  chronic: { flags: "ve" },
  chroot: { long: "groups= userspec= skip-chdir", operands: 1 },
  chrt: {
    flags: "abdefimoprRvG",
    values: "TPD",
    long: "all-tasks batch deadline ext fifo idle other rr reset-on-fork max pid verbose sched-runtime= sched-period= sched-deadline=",
    operands: 1,
  },
  command: { flags: "pvV" },
  "dbus-run-session": { long: "config-file= dbus-daemon=" },
  doas: { flags: "Lns", values: "aCu" },
  eatmydata: {},
  entr: { flags: "acdnprsxz", joins: true },
  env: {
    flags: "i0v",
    values: "uCSaP",
    long: "ignore-environment null unset= chdir= split-string= argv0= block-signal default-signal ignore-signal list-signal-handling debug",
    dash: true,
    assignments: true,
    splits: "S split-string",
  },
  eval: { joins: true },
  exec: { flags: "cl", values: "a" },
  fakeroot: { flags: "uh", values: "lisb", long: "lib= faked= unknown-is-real" },
  fd: { actions: FD },
  fdfind: { actions: FD },
  find: { actions: FIND },
  fish: {
    flags: "ilnNPv",
    values: "cCdDfop",
    long: "command= init-command= interactive login no-config no-execute print-rusage-self debug= debug-output= features= private profile= profile-startup=",
    scripts: "c C command init-command",
  },
  flock: {
    flags: "sxenuovF",
    values: "wE",
    long: "shared exclusive nonblock nb unlock close no-fork verbose fcntl wait= timeout= conflict-exit-code=",
    operands: 1,
    trailing: true,
  },
  gdb: { actions: GDB },
  hyperfine: {
    flags: "iN",
    values: "wmMrspncSLDu",
    long: "warmup= min-runs= max-runs= runs= setup= prepare= conclude= cleanup= shell= ignore-failure style= show-output export-json= export-csv= export-markdown= command-name= parameter-list= parameter-scan= time-unit= output= input=",
    joins: true,
  },
  ifne: { flags: "n" },
  i386: ARCHITECTURE,
  ionice: { flags: "t", values: "cnpPu", long: "class= classdata= pid= pgid= uid= ignore" },
  linux32: ARCHITECTURE,
  linux64: ARCHITECTURE,
  ltrace: {
    flags: "bcCfhiLrStTV",
    values: "aADeFlnopsuwxX",
    long: "align= demangle indent= library= output=",
  },
  nice: { values: "n", long: "adjustment=", numbers: true },
  nocorrect: {},
  noglob: {},
  nohup: {},
  nsenter: {
    flags: "aeFZ",
    values: "tSGN",
    optional: "muinpCUTrwW",
    long: "all target= mount uts ipc net pid cgroup user time setuid= setgid= preserve-credentials keep-caps root wd wdns env no-fork follow-context join-cgroup user-parent net-socket=",
  },
  numactl: {
    flags: "alsHht",
    values: "iwmNCpPx",
    long: "all interleave= weighted-interleave= membind= cpunodebind= physcpubind= localalloc preferred= preferred-many= balancing cpu-compress",
  },
  parallel: {
    flags: "kqtuvXm0",
    values: "jnNLlIasdCPSE",
    long: "jobs= keep-order quote verbose dry-run halt= joblog= results= colsep= max-args= arg-file= delimiter= eta bar progress will-cite tag ungroup line-buffer no-run-if-empty timeout= retries= delay= load= nice=",
    joins: true,
  },
  pkexec: { long: "user= disable-internal-agent keep-cwd" },
  prlimit: {
    optional: "cdefilmnpqrstuvxy",
    values: "o",
    long: "pid= output= noheadings raw verbose core data nice fsize sigpending memlock rss nofile msgqueue rtprio stack cpu nproc as locks rttime",
  },
  repeat: { operands: 1 },
  rlwrap: { flags: "acimnrRvz", values: "bCDefghHlLNopPqsStVwz" },
  runuser: {
    flags: "lmpfP",
    values: "cugGsw",
    long: `${USER} user= whitelist-environment=`,
    scripts: "c command session-command",
  },
  script: {
    flags: "aefqr",
    values: "cIOBETmo",
    optional: "t",
    long: "append command= echo= flush force log-io= log-in= log-out= log-timing= logging-format= output-limit= quiet return timing",
    scripts: "c command",
  },
  setarch: ARCHITECTURE,
  setpriv: {
    flags: "d",
    long: "dump clear-groups groups= inh-caps= ambient-caps= bounding-set= init-groups keep-groups list-caps no-new-privs nnp rgid= egid= regid= ruid= euid= reuid= securebits= pdeathsig= selinux-label= apparmor-profile= landlock-access= landlock-rule= seccomp-filter= ptracer= reset-env",
  },
  setsid: { flags: "cfw", long: "ctty fork wait" },
  sg: { operands: 1, trailing: true },
  stdbuf: { values: "ioe", long: "input= output= error=" },
  strace: {
    flags: "cCdfFhiknqrtTvVwxyzZDA",
    values: "abeEIoOpPsSuUX",
    long: "attach= output= trace= follow-forks summary summary-only env= user= string-limit= decode-fds quiet= daemonize columns= signal= status= seccomp-bpf syscall-limit= relative-timestamps absolute-timestamps syscall-times",
  },
  su: {
    flags: "lmpfP",
    values: "cgGsw",
    long: `${USER} whitelist-environment=`,
    scripts: "c command session-command",
  },
  sudo: {
    flags: "AbBEeHiKklNnPsSvV",
    values: "aCcDghpRrtTuU",
    long: "askpass background bell close-from= chdir= preserve-env edit group= set-home host= login remove-timestamp reset-timestamp list no-update non-interactive preserve-groups prompt= chroot= role= stdin shell type= command-timeout= other-user= user= validate auth-type= login-class=",
    assignments: true,
  },
  "systemd-run": {
    flags: "rPtqSdGv",
    values: "uHMpE",
    long: "unit= host= machine= property= description= slice= slice-inherit expand-environment= remain-after-exit send-sighup service-type= uid= gid= nice= working-directory= same-dir root-directory= same-root-dir setenv= pty pipe quiet shell collect user system scope wait no-block no-ask-password on-active= on-boot= on-startup= on-unit-active= on-unit-inactive= on-calendar= on-clock-change on-timezone-change timer-property= path-property= socket-property= background= job-mode= ignore-failure verbose",
  },
  taskset: { flags: "apc", long: "all-tasks pid cpu-list", operands: 1 },
  time: { flags: "apqvlh", values: "fo", long: "append format= output= portability quiet verbose" },
  timeout: {
    flags: "fpv",
    values: "ks",
    long: "foreground kill-after= preserve-status signal= verbose",
    operands: 1,
  },
  torsocks: { flags: "idq", values: "aPup", long: "isolate address= port= user= pass= shell debug quiet" },
  toybox: {},
  unbuffer: { flags: "p" },
  unshare: {
    flags: "fcr",
    values: "RwSGl",
    optional: "muinpUCT",
    long: "mount uts ipc net pid user cgroup time fork map-user= map-group= map-root-user map-current-user map-auto map-users= map-groups= map-subids kill-child mount-proc mount-binfmt propagation= setgroups= keep-caps root= wd= setuid= setgid= load-interp= monotonic= boottime= owner= forward-signals",
  },
  watch: {
    flags: "bcCegprtwx",
    values: "nqs",
    optional: "d",
    long: "beep color no-color differences errexit chgexit interval= equexit= precise no-rerun no-title no-wrap exec shotsdir=",
    joins: true,
  },
  x86_64: ARCHITECTURE,
  xargs: {
    flags: "0oprtx",
    values: "adEILnPsJRS",
    optional: "eil",
    long: "null arg-file= delimiter= eof replace max-lines max-args= max-procs= open-tty interactive process-slot-var= no-run-if-empty max-chars= show-limits verbose exit",
  },
  "xvfb-run": {
    flags: "al",
    values: "efnpsw",
    long: "auto-servernum auth-file= error-file= server-num= listen-tcp xauth-protocol= server-args= wait=",
  },
};

/** Shells have an option grammar of their own. */
const SHELLS: ReadonlySet<string> = new Set(
  "ash bash csh dash ksh ksh93 lksh mksh oksh pdksh posh rbash rksh rzsh sh tcsh yash zsh".split(" "),
);

export function findWrapper(name: string): Wrapper | null {
  if (Object.hasOwn(ROWS, name)) return ROWS[name] ?? null;
  // On systems with other core utilities, the GNU versions have the prefix `g`.
  const gnu = name.slice(1);
  return name.startsWith("g") && Object.hasOwn(ROWS, gnu) ? (ROWS[gnu] ?? null) : null;
}

export function isShell(name: string): boolean {
  return SHELLS.has(name);
}
