/** How each program is made ready, found out by running it: a home of its own, no network, no questions. */
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { arch, platform } from "node:os";
import { join } from "node:path";
import { ADAPTERS, type AdapterId } from "../../src/lifecycle/index.ts";
import { claudeControls, copilotControls, geminiControls, opencodeControls } from "./controls.ts";
import type { Harness } from "./harness.ts";

async function put(path: string, value: unknown): Promise<void> {
  await mkdir(join(path, ".."), { recursive: true });
  await writeFile(path, JSON.stringify(value));
}

/** The program that an adapter's claims were held against. */
function observed(adapter: AdapterId): Pick<Harness, "adapter" | "program" | "version" | "packages"> {
  const { program, version = "" } = ADAPTERS[adapter].evidence;
  return { adapter, program, version, packages: [`${program}@${version}`] };
}

const shellWith = (tool: string) => (command: string) => ({ tool, input: { command, description: "d" } });

const claude: Harness = {
  ...observed("claude"),
  shell: shellWith("Bash"),
  async prepare({ folder, home, project, modelUrl, isAsked }) {
    const projects = { [project]: { hasTrustDialogAccepted: true } };
    await put(join(home, ".claude.json"), { hasCompletedOnboarding: true, projects });
    await put(join(home, ".claude", "settings.json"), { permissions: { allow: isAsked ? [] : ["Bash"] } });
    return {
      command: process.execPath,
      args: (prompt) => [
        join(folder, "node_modules", "@anthropic-ai", "claude-code", "cli-wrapper.cjs"),
        "--verbose",
        "--output-format=stream-json",
        "-p",
        prompt,
      ],
      env: {
        ANTHROPIC_BASE_URL: modelUrl,
        ANTHROPIC_API_KEY: "any",
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
        DISABLE_TELEMETRY: "1",
        DISABLE_ERROR_REPORTING: "1",
        DISABLE_AUTOUPDATER: "1",
      },
    };
  },
  controls: claudeControls,
};

const gemini: Harness = {
  ...observed("gemini"),
  shell: shellWith("run_shell_command"),
  async prepare({ folder, home, modelUrl }) {
    await put(join(home, ".gemini", "settings.json"), {
      security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } },
      privacy: { usageStatisticsEnabled: false },
    });
    return {
      command: process.execPath,
      args: (prompt) => [
        join(folder, "node_modules", "@google", "gemini-cli", "bundle", "gemini.js"),
        "--output-format=stream-json",
        "--model=gemini-2.5-flash",
        "--approval-mode=yolo",
        "-p",
        prompt,
      ],
      env: {
        GEMINI_API_KEY: "any",
        GOOGLE_GEMINI_BASE_URL: modelUrl,
        GEMINI_CLI_TRUST_WORKSPACE: "true",
      },
    };
  },
  controls: geminiControls,
};

const opencode: Harness = {
  ...observed("opencode"),
  packages: ["opencode-ai", "@opencode-ai/plugin"].map((name) => `${name}@${observed("opencode").version}`),
  shell: shellWith("bash"),
  async prepare({ folder, home, modelUrl }) {
    const config = join(home, ".config", "opencode");
    const limit = { context: 100_000, output: 4000 };
    await put(join(config, "opencode.json"), {
      autoupdate: false,
      share: "disabled",
      model: "mock/m",
      small_model: "mock/m",
      provider: {
        mock: {
          npm: "@ai-sdk/openai-compatible",
          options: { baseURL: `${modelUrl}/v1`, apiKey: "x" },
          models: { m: { limit, tool_call: true } },
        },
      },
    });
    // It would fetch them itself before its first start, and hang where there is no network.
    for (const name of ["package.json", "package-lock.json", "node_modules"])
      await symlink(join(folder, name), join(config, name));
    const system = platform() === "win32" ? "windows" : platform();
    return {
      command: join(folder, "node_modules", `opencode-${system}-${arch()}`, "bin", "opencode"),
      args: (prompt) => ["run", prompt, "--format", "json"],
      env: {
        OPENCODE_DISABLE_AUTOUPDATE: "1",
        OPENCODE_DISABLE_MODELS_FETCH: "1",
        OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
        OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
      },
    };
  },
  controls: opencodeControls,
};

const copilot: Harness = {
  ...observed("copilot"),
  shell: shellWith("bash"),
  async prepare({ folder, modelUrl }) {
    return {
      command: process.execPath,
      args: (prompt) => [
        join(folder, "node_modules", "@github", "copilot", "npm-loader.js"),
        "--output-format=json",
        "--allow-all-tools",
        "-p",
        prompt,
      ],
      env: {
        COPILOT_OFFLINE: "true",
        COPILOT_AUTO_UPDATE: "false",
        COPILOT_PROVIDER_TYPE: "openai",
        COPILOT_PROVIDER_BASE_URL: `${modelUrl}/v1`,
        // It is masked wherever its characters occur, so it must not be short.
        COPILOT_PROVIDER_API_KEY: "a-long-key-that-occurs-nowhere-else",
        COPILOT_MODEL: "m",
        COPILOT_PROVIDER_MAX_PROMPT_TOKENS: "100000",
        COPILOT_PROVIDER_MAX_OUTPUT_TOKENS: "4000",
      },
    };
  },
  controls: copilotControls,
};

export const harnesses: readonly Harness[] = [claude, gemini, opencode, copilot];
