// The form of a kind of mail: a shape of its stored data, and a function that makes a letter of that.

import type { z } from "zod";
import type { Letter } from "../letters.js";
import type { LinkSettings } from "../links.js";

/** Writes a letter from what the queue stores. @throws ZodError where that has another shape. */
export type Template = (data: unknown, config: LinkSettings) => Letter;

/** A template for data of a shape. */
export const template =
  <Data extends z.ZodType>(shape: Data, write: (data: z.output<Data>, config: LinkSettings) => Letter): Template =>
  (data, config) =>
    write(shape.parse(data), config);
