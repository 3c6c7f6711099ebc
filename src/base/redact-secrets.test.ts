import { expect, test } from "vitest";
import { processorTime } from "./processor-time.fixture.ts";
import {
  isSecretName,
  redactCommand,
  redactSecrets,
  redactSecretsByLine,
  redactWords,
} from "./redact-secrets.ts";

test.each([
  ["curl -H 'Authorization: bearer\tabcdefghijklmnop'", "curl -H 'Authorization: Bearer [REDACTED_SECRET]'"],
  ["Bearer sk-abcdefghijklmnopqrst+rest==; ls", "Bearer [REDACTED_SECRET]; ls"],
  ["echo sk-abcdefghijklmnopqrstuvwxyz", "echo [REDACTED_SECRET]"],
  ["aws AKIAIOSFODNN7EXAMPLE x", "aws [REDACTED_SECRET] x"],
  ["PASSWORD=hunter2hunter2 run", "PASSWORD=[REDACTED_SECRET] run"],
  [`api-key: "0123456789" next`, `api-key: "[REDACTED_SECRET]" next`],
  ["mysql --password hunter2 -u root", "mysql --password [REDACTED_SECRET] -u root"],
  ["mysql --password=hunter2 x", "mysql --password=[REDACTED_SECRET] x"],
  ["x --password 'a b' y", "x --password '[REDACTED_SECRET]' y"],
  ['x --db-password "a\\"b" y', 'x --db-password "[REDACTED_SECRET]" y'],
  ["ssh h 'x --token '\\''a b'\\'' y'", "ssh h 'x --token [REDACTED_SECRET]"],
  ["x --token abc", "x --token [REDACTED_SECRET]"],
  ["x --name --token abc; ls", "x --name --token [REDACTED_SECRET]; ls"],
  [
    "x --api-key=k1 --access-token\tk2 -apikey k3",
    "x --api-key=[REDACTED_SECRET] --access-token\t[REDACTED_SECRET] -apikey [REDACTED_SECRET]",
  ],
  ["git clone https://me:pa55@host/a.git", "git clone https://me:[REDACTED_SECRET]@host/a.git"],
  ["psql postgres://me:p@ss@h:1/db?x=y@z", "psql postgres://me:[REDACTED_SECRET]@h:1/db?x=y@z"],
  ["curl https://0123456789abcdef0123@host", "curl https://[REDACTED_SECRET]@host"],
  ["curl -u me:pass https://h", "curl -u me:[REDACTED_SECRET] https://h"],
  ["curl -sS --user 'me:pa ss' -k", "curl -sS --user 'me:[REDACTED_SECRET]' -k"],
  ["curl -ume:pass h", "curl -ume:[REDACTED_SECRET] h"],
  ["tool -u me:hunter2 https://h", "tool -u me:[REDACTED_SECRET] https://h"],
  ["tool -u 'me:hun ter' x", "tool -u 'me:[REDACTED_SECRET]' x"],
  ["tool --user=me@host:hunter2 x", "tool --user=me@host:[REDACTED_SECRET] x"],
  ["skopeo copy --creds me:hunter2 a b", "skopeo copy --creds me:[REDACTED_SECRET] a b"],
  ["smbclient -U me%hunter2 //h/s", "smbclient -U me%[REDACTED_SECRET] //h/s"],
  [
    "python -c \"run(['tool', '-u', 'me:hunter2'])\"",
    "python -c \"run(['tool', '-u', 'me:[REDACTED_SECRET]'])\"",
  ],
  [
    "docker run -u node:node x; tool -u me:hunter2",
    "docker run -u node:node x; tool -u me:[REDACTED_SECRET]",
  ],
  ["http -a me:pass h", "http -a me:[REDACTED_SECRET] h"],
  ["mysql -u root -phunter2 db", "mysql -u root -p[REDACTED_SECRET] db"],
  ["redis-cli -a hunter2 get x", "redis-cli -a [REDACTED_SECRET] get x"],
  ["ldapsearch -D cn=me -w hunter2", "ldapsearch -D cn=me -w [REDACTED_SECRET]"],
  ["mongosh -u me -p hunter2", "mongosh -u me -p [REDACTED_SECRET]"],
  ["PGPASSWORD=hunter2 psql", "PGPASSWORD=[REDACTED_SECRET] psql"],
  ["MYSQL_PWD=x SSHPASS=y run", "MYSQL_PWD=[REDACTED_SECRET] SSHPASS=[REDACTED_SECRET] run"],
  ["export AWS_SECRET_ACCESS_KEY=abc", "export AWS_SECRET_ACCESS_KEY=[REDACTED_SECRET]"],
  ["GITHUB_TOKEN='a b' DB_PASSWD=x run", "GITHUB_TOKEN='[REDACTED_SECRET]' DB_PASSWD=[REDACTED_SECRET] run"],
  [
    "MY_API_KEY=x SSH_PRIVATE_KEY=y;run",
    "MY_API_KEY=[REDACTED_SECRET] SSH_PRIVATE_KEY=[REDACTED_SECRET];run",
  ],
  [`{"password": "hunter2hunter2"}`, `{"password": "[REDACTED_SECRET]"}`],
  [`{"client_secret": "abcdefgh"}`, `{"client_secret": "[REDACTED_SECRET]"}`],
  ["-H 'Authorization: Basic bWU6cGFzcw=='", "-H 'Authorization: Basic [REDACTED_SECRET]'"],
  ["-H 'Authorization: abcdef' x", "-H 'Authorization: [REDACTED_SECRET]' x"],
  ["-H 'X-Api-Key: abcdefgh'", "-H 'X-Api-Key: [REDACTED_SECRET]'"],
  ["x ghp_abcdefghijklmnopqrstuvwxyz0123456789", "x [REDACTED_SECRET]"],
  ["x github_pat_11ABCDEFG0abcdefghij_klmnop", "x [REDACTED_SECRET]"],
  ["x xoxb-1234567890-abcdefghij", "x [REDACTED_SECRET]"],
  ["x glpat-abcdefghij0123456789", "x [REDACTED_SECRET]"],
  ["x sk-proj-abcd_efgh-ijklmnopqrst", "x [REDACTED_SECRET]"],
  ["x eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl y", "x [REDACTED_SECRET] y"],
  ["sshpass -p hunter2 ssh h", "sshpass -p [REDACTED_SECRET] ssh h"],
  [
    "echo '-----BEGIN RSA PRIVATE KEY-----\nabc/+=\n-----END RSA PRIVATE KEY-----'",
    "echo '[REDACTED_SECRET]-----END RSA PRIVATE KEY-----'",
  ],
])("hides the secret of %s", (text, shown) => {
  expect(redactSecrets(text)).toBe(shown);
  expect(redactSecrets(shown)).toBe(shown);
});

test.each([
  "Bearer of good news",
  "Bearer abcdefghijklmno",
  "NotABearer abcdefghijklmnop",
  "Bearer\nabcdefghijklmnop",
  "sk-tooshort",
  "password=short",
  "tokens=abcdefghijkl",
  "login --password-stdin < file",
  "x --token-file path",
  "docker run -u 1000:1000 image",
  "docker run --user node:node image",
  "tool -u 1000:1000 x",
  "date -u +%H:%M:%S",
  "git show -u HEAD:src/a.ts",
  "rsync -a host:path to",
  "rg -u token:name src",
  "psql -U me -h host db",
  "ps -u root",
  'tool -u "me:$PASS"',
  "mkdir -p a/b",
  "OLDPWD=/a PWD=/b",
  "rg 'token: string' src",
  "https://host:8080/path@x",
  "git@host:a/b.git",
  "TOKEN=$OTHER run",
  'x --token "$TOKEN"',
  "https://me:$PASS@host",
  "sort --key 2",
  "KEY=x MONKEY=y TOKENIZER=z",
  "eyJ.short",
])("leaves %j alone", (text) => {
  expect(redactSecrets(text)).toBe(text);
});

test.each([
  ["a\n-----BEGIN PRIVATE KEY-----\nabc\ndef==\n", "a\n[REDACTED_SECRET]\n\n\n"],
  ["PASSWORD='a\nb' x", "PASSWORD='[REDACTED_SECRET]\n' x"],
  ["token: 0123456789\nb", "token: [REDACTED_SECRET]\nb"],
])("the lines of %j stay as many", (text, shown) => {
  expect(redactSecretsByLine(text)).toBe(shown);
});

test("names of secrets are known in every way to write them", () => {
  const names = [
    "API_KEY",
    "apiKey",
    "x-api-key",
    "Authorization",
    "set-cookie",
    "DB_PASSWORD",
    "clientSecret",
  ];
  expect(names.filter((name) => !isSecretName(name))).toEqual([]);
  expect(["tokens", "key", "path", "maxTokens", "secretary"].filter(isSecretName)).toEqual([]);
});

test("an action is unchanged except for its secrets", () => {
  const action = {
    type: "search",
    command: "rg token=abcdefgh12 src",
    query: "token=abcdefgh12",
    path: "src",
  };
  expect(redactCommand(action)).toEqual({
    type: "search",
    command: "rg token=[REDACTED_SECRET] src",
    query: "token=[REDACTED_SECRET]",
    path: "src",
  });
  expect(redactCommand({ type: "search", command: "rg", query: null })).toEqual({
    type: "search",
    command: "rg",
    query: null,
  });
});

test("a secret may be the word after its option", () => {
  expect(
    redactWords(["x", "--password", "hunter2", "curl", "-u", "me:pass", "A_TOKEN=b", "--token"]),
  ).toEqual([
    "x",
    "--password",
    "[REDACTED_SECRET]",
    "curl",
    "-u",
    "me:[REDACTED_SECRET]",
    "A_TOKEN=[REDACTED_SECRET]",
    "--token",
  ]);
  expect(redactWords(["/bin/bash", "-lc", "x --token 'it''s'"])).toEqual([
    "/bin/bash",
    "-lc",
    "x --token [REDACTED_SECRET]",
  ]);
});

test.each([
  [["tool", "-u", "me:hunter2"], "me:[REDACTED_SECRET]"],
  [["tool", "-u", "me:hun ter"], "me:[REDACTED_SECRET]"],
  [["tool", "--user=me:hunter2"], "--user=me:[REDACTED_SECRET]"],
  [["curl", "-ume:hunter2"], "-ume:[REDACTED_SECRET]"],
  [["docker", "run", "-u", "node:node"], "node:node"],
  [["tool", "-u", "1000:1000"], "1000:1000"],
  [["mysql", "-phunter2"], "-p[REDACTED_SECRET]"],
  [["/usr/bin/redis-cli", "-a", "hunter2"], "[REDACTED_SECRET]"],
  [["xh", "-a", "me:hunter2"], "me:[REDACTED_SECRET]"],
])("the last of the words %j is shown as %s", (words, last) => {
  expect(redactWords(words).at(-1)).toBe(last);
});

test.each([
  "--token ",
  "--token '",
  '--token "',
  "token",
  "TOKEN=",
  "TOKEN=' ",
  "a-token-",
  "--a-a",
  "https://a:",
  "://",
  "a:b@",
  "curl -u ",
  "-u a",
  "-u a:",
  "-u a:b ",
  "--user=",
  "--user='a:b",
  "PASSWORD",
  "A_PASS",
  "mysql -p",
  "redis-cli -a ",
  "http -a a:",
  ";docker -u a:b",
  "eyJ-",
  "eyJabcdefgh.",
  "sk-",
  "xoxb-",
  "Authorization: ",
  "Authorization:  a ",
  "-----BEGIN PRIVATE KEY-----",
  "\\",
  "'\\''",
  " ",
  "a",
])("a megabyte of %j is read at once", { timeout: 30_000 }, (piece) => {
  const text = piece.repeat(Math.ceil(1_048_576 / piece.length));
  const bound = { tries: 3, enough: 500 };
  expect(processorTime(() => redactSecrets(text), bound)).toBeLessThan(500);
  expect(processorTime(() => redactSecrets(`token${text}`), bound)).toBeLessThan(500);
});
