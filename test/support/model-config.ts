/** A config.toml with the scripted model as the only provider. */

export type ModelConfig = {
  /** Keys at the top of the file, before the first table. */
  readonly root?: string;
  readonly tables?: string;
};

export function modelConfig(modelUrl: string, extra: ModelConfig = {}): string {
  return `model = "mock-model"
model_provider = "mock"
approval_policy = "never"
sandbox_mode = "read-only"
${extra.root ?? ""}
[model_providers.mock]
name = "Mock"
base_url = "${modelUrl}/v1"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0

[analytics]
enabled = false

${extra.tables ?? ""}`;
}
