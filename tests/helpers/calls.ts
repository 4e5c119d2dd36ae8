// How often a function is called, counted by the engine: for guarantees about work that is not done.

import { Session } from "node:inspector/promises";

/** Counts the calls of a function of a source file while something runs. */
export async function callsOf(name: string, file: string, run: () => unknown): Promise<number> {
  const session = new Session();
  session.connect();
  try {
    await session.post("Profiler.enable");
    await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
    // What was called before.
    await session.post("Profiler.takePreciseCoverage");
    await run();
    const { result } = await session.post("Profiler.takePreciseCoverage");
    const functions = result.filter(({ url }) => url.endsWith(file)).flatMap((script) => script.functions);
    const counts = functions.filter(({ functionName }) => functionName === name).map(({ ranges }) => ranges[0]?.count);
    return counts.reduce((sum: number, count = 0) => sum + count, 0);
  } finally {
    session.disconnect();
  }
}
