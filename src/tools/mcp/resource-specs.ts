/** How the tools for resources are described to the model. */

const text = (description: string) => ({ type: "string", description });

export const RESOURCE_SPECS = {
  list_mcp_resources: {
    description:
      "Lists what MCP servers offer to read: files, database schemas and other data that gives context. Prefer such resources over a web search where they answer the question.",
    strict: false,
    parameters: {
      type: "object",
      properties: {
        cursor: text("The cursor that an earlier call returned; leave it out for the first page."),
        server: text("Name of the MCP server. Leave it out to list the resources of all of them."),
      },
      additionalProperties: false,
    },
  },
  list_mcp_resource_templates: {
    description:
      "Lists the resource templates of MCP servers: addresses with parameters to fill in, behind which there are files, database schemas and other data that gives context. Prefer them over a web search where they answer the question.",
    strict: false,
    parameters: {
      type: "object",
      properties: {
        cursor: text("The cursor that an earlier call returned; leave it out for the first page."),
        server: text("Name of the MCP server. Leave it out to list the templates of all of them."),
      },
      additionalProperties: false,
    },
  },
  read_mcp_resource: {
    description: "Reads one resource of an MCP server.",
    strict: false,
    parameters: {
      type: "object",
      properties: {
        server: text("Name of the MCP server, as `list_mcp_resources` gives it in `server`."),
        uri: text("Address of the resource, as `list_mcp_resources` gives it."),
      },
      required: ["server", "uri"],
      additionalProperties: false,
    },
  },
};
