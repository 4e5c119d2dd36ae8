// The projects of those who build on the service.

/** Compiler options of a new, strict project, which believes nobody's types and has none of Node's. */
export const strict = (module: "bundler" | "node16", ...files: string[]) => ({
  compilerOptions: {
    // tRPC's types name Disposable, which older targets do not have.
    target: "ESNext",
    module: module === "bundler" ? "ESNext" : "Node16",
    moduleResolution: module,
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    verbatimModuleSyntax: true,
    skipLibCheck: false,
    types: [],
    // Linked dependencies must not find what only this repository has installed.
    preserveSymlinks: true,
    outDir: "out",
  },
  files,
});
