// `work-board-client/browser`: the client and the replica as one file, which a page can import without a bundler.

export * from "./board/index.js";
export * from "./index.js";
