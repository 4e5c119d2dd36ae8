// `/llms.txt`: what the OpenAPI document says of the whole service, and one line for each operation, for readers to whom the document
// itself is too long.

/** The parts of the document that the index is made from. */
interface Indexed {
  info: { title: string; summary: string; description: string };
  servers: { url: string }[];
  paths: Record<string, Record<string, { summary: string }>>;
}

/** The index as Markdown, in the order of the document. */
export function operationIndex({ info, servers, paths }: Indexed): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { summary }]) => `- ${method.toUpperCase()} ${path}: ${summary}`),
  );
  return `# ${info.title}

> ${info.summary}

${info.description}

**Reference**: [/openapi.json](/openapi.json) describes every operation with its input, output and examples; [/docs](/docs) shows it in a
browser. With \`.md\` after its address, a guide is Markdown.

## Operations

Paths are relative to \`${servers[0]?.url}\`.

${operations.join("\n")}
`;
}
