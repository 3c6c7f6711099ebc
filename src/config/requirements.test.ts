import { describe, expect, test } from "vitest";
import { createTestHome, type TestHome } from "./config.fixture.ts";

function createManagedHome(requirements: string, config = ""): TestHome {
  const home = createTestHome(config);
  home.write("system/requirements.toml", requirements);
  return home;
}

async function requirementsOf(home: TestHome): Promise<unknown> {
  const result = await (await home.open()).requirements();
  return result.ok ? result.value : result.error.message;
}

describe("configRequirements/read", () => {
  test.each(["", "[in_app_browser]\n"])("%j requires nothing", async (text) => {
    const expected = { supportsIndependentSpeedModes: true, requirements: null };
    expect(await requirementsOf(createManagedHome(text))).toEqual(expected);
    expect(await requirementsOf(createTestHome())).toEqual(expected);
  });

  test("shows every member, with the names of the wire", async () => {
    const home = createManagedHome(`
allowed_approval_policies = ["on-request"]
allowed_sandbox_modes = ["read-only", "external-sandbox"]
allowed_web_search_modes = ["live"]
log_dir = "the logs"
[allowed_permission_profiles]
my_profile = true
[features]
memories = true
[experimental_network]
enabled = true
[experimental_network.domains]
"b.com" = "allow"
"a.com" = "allow"
"c.com" = "deny"
[models.new_thread]
model = "m"
[[hooks.Stop]]
hooks = [{ type = "command", command = "echo", timeout = 5 }]
[otel]
exporter = { otlp-grpc = { endpoint = "e", headers = { key = "secret" } } }
`);
    const shown = (await requirementsOf(home)) as { requirements: Record<string, unknown> };
    const { hooks, otel, ...rest } = shown.requirements;
    expect(rest).toEqual({
      modelProvider: null,
      modelProviders: null,
      allowedLoginMethods: ["api", "chatgpt"],
      cliAuthCredentialsStore: null,
      chatgptBaseUrl: null,
      additionalDeveloperInstructions: null,
      allowedApprovalPolicies: ["on-request"],
      allowedApprovalsReviewers: null,
      allowedSandboxModes: ["read-only"],
      allowedWindowsSandboxImplementations: null,
      allowedPermissionProfiles: { my_profile: true },
      defaultPermissions: null,
      allowedWebSearchModes: ["live", "disabled"],
      allowManagedHooksOnly: null,
      allowBrowserAndComputerUse: null,
      allowAppshots: null,
      allowRemoteControl: null,
      computerUse: null,
      browserUse: null,
      inAppBrowser: null,
      featureRequirements: { memories: true },
      enforceResidency: null,
      network: {
        enabled: true,
        httpPort: null,
        socksPort: null,
        allowUpstreamProxy: null,
        dangerouslyAllowNonLoopbackProxy: null,
        dangerouslyAllowAllUnixSockets: null,
        domains: { "b.com": "allow", "a.com": "allow", "c.com": "deny" },
        reviewDomains: null,
        managedAllowedDomainsOnly: null,
        allowedDomains: ["a.com", "b.com"],
        deniedDomains: ["c.com"],
        unixSockets: null,
        allowUnixSockets: null,
        allowLocalBinding: null,
      },
      application: null,
      autoReview: null,
      models: { newThread: { model: "m", modelReasoningEffort: null, serviceTier: null } },
      sqliteHome: null,
      logDir: `file://${home.root}/system/the%20logs`,
      modelCatalogJson: null,
      checkForUpdateOnStartup: null,
      allowLoginShell: null,
      feedback: null,
    });
    expect(hooks).toMatchObject({
      managedDir: null,
      Stop: [
        {
          matcher: null,
          hooks: [
            {
              type: "command",
              command: "echo",
              commandWindows: null,
              timeoutSec: 5,
              async: false,
              statusMessage: null,
              additionalContextLimit: null,
            },
          ],
        },
      ],
      PreToolUse: [],
    });
    expect(JSON.stringify(otel)).not.toContain("secret");
  });

  test("a forced login method is a requirement too", async () => {
    expect(await requirementsOf(createTestHome('forced_login_method = "api"\n'))).toMatchObject({
      requirements: { allowedLoginMethods: ["api"], allowedSandboxModes: null },
    });
  });

  test("the older managed file bounds what it fixes", async () => {
    const home = createTestHome();
    home.write(
      "system/managed_config.toml",
      'sandbox_mode = "workspace-write"\napprovals_reviewer = "auto_review"\n',
    );
    expect(await requirementsOf(home)).toMatchObject({
      requirements: {
        allowedSandboxModes: ["read-only", "workspace-write"],
        allowedApprovalsReviewers: ["auto_review", "user"],
      },
    });
  });

  test("a requirement that cannot be read is an error everywhere", async () => {
    const home = createManagedHome('allow_remote_control = "x"\n');
    const message =
      `failed to parse requirements layer ${home.root}/system/requirements.toml: ` +
      'invalid type: string "x", expected a boolean\nin `allow_remote_control`\n';
    const config = await home.open();
    expect(await requirementsOf(home)).toBe(`failed to read configuration layers: ${message}`);
    expect(await config.startup()).toEqual({ ok: false, message });
    expect(await config.effective()).toEqual({ ok: false, error: { message } });
  });
});

describe("what is required", () => {
  test("wins over every layer and cannot be written", async () => {
    const home = createManagedHome(
      'chatgpt_base_url = "https://managed/"\n[feedback]\nenabled = false\n',
      "feedback.enabled = true\n",
    );
    const config = await home.open({ flags: { config: ["chatgpt_base_url=https://flag/"] } });
    expect(await config.effective()).toMatchObject({
      value: { values: { chatgpt_base_url: "https://managed/", feedback: { enabled: false } } },
    });
    const read = await config.read({});
    expect(read).toMatchObject({ value: { config: { feedback: { enabled: false } }, origins: {} } });
    for (const keyPath of ["feedback", "feedback.enabled"]) {
      expect(await config.write({ keyPath, value: { enabled: true }, mergeStrategy: "replace" })).toEqual({
        ok: false,
        error: {
          writeCode: "configRequirementReadonly",
          message: "`feedback.enabled` is managed by requirements and cannot be changed",
        },
      });
    }
  });

  test("a fixed feature has its state and refuses another", async () => {
    const home = createManagedHome("[features]\nmemories = true\n");
    const config = await home.open();
    const effective = await config.effective();
    expect(effective.ok && effective.value.features.get("memories")).toBe(true);
    expect(
      await config.write({ keyPath: "features.memories", value: false, mergeStrategy: "replace" }),
    ).toEqual({
      ok: false,
      error: {
        writeCode: "configValidationError",
        message:
          "Invalid configuration: invalid value for `features`: `features.memories=false` is not in the allowed set " +
          `[memories=true] (set by ${home.root}/system/requirements.toml)`,
      },
    });
  });
});
