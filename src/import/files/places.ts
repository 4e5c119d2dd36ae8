// The identifiers of a file, which link its own parts: where each part stands.

import { badRequest } from "../../api/errors.js";

/** Where in the file. */
export type Path = (string | number)[];

/** Something of the file is wrong, at a place in it. */
export const wrong = (message: string, path: Path) => badRequest(message, "board", ...path);

/** The places of parts by their identifiers; two parts of one identifier are an error. */
export class Places {
  private readonly places = new Map<string, number>();

  constructor(
    ids: readonly string[],
    private readonly what: string,
    path: Path,
    field: "publicId" | "id",
  ) {
    for (const [index, id] of ids.entries()) {
      if (this.places.has(id)) throw wrong("Stands in the file twice", [...path, index, field]);
      this.places.set(id, index);
    }
  }

  /** The place of an identifier, undefined where the file has none such. */
  at(id: string): number | undefined {
    return this.places.get(id);
  }

  find(id: string, path: Path): number {
    const place = this.places.get(id);
    if (place === undefined) throw wrong(`Is none of ${this.what}`, path);
    return place;
  }

  /** Each once. */
  findAll(ids: readonly string[], path: Path): number[] {
    return [...new Set(ids.map((id, index) => this.find(id, [...path, index])))];
  }
}
