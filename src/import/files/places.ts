// The identifiers of a file, which link its own parts, with the index of each part.

import { badRequest } from "../../api/errors.js";

/** A path in the file. */
export type Path = (string | number)[];

/** An error in the file, with its path. */
export const wrong = (message: string, path: Path) => badRequest(message, "board", ...path);

/** The indexes of parts by identifier; a duplicate identifier is an error. */
export class Places {
  private readonly places = new Map<string, number>();

  constructor(
    ids: readonly string[],
    private readonly what: string,
    path: Path,
    field: "publicId" | "id",
  ) {
    for (const [index, id] of ids.entries()) {
      if (this.places.has(id)) throw wrong("This identifier appears twice in the file", [...path, index, field]);
      this.places.set(id, index);
    }
  }

  /** The index of an identifier, undefined if the file does not have it. */
  at(id: string): number | undefined {
    return this.places.get(id);
  }

  find(id: string, path: Path): number {
    const place = this.places.get(id);
    if (place === undefined) throw wrong(`Must be one of ${this.what}`, path);
    return place;
  }

  /** The indexes of several identifiers, each once. */
  findAll(ids: readonly string[], path: Path): number[] {
    return [...new Set(ids.map((id, index) => this.find(id, [...path, index])))];
  }
}
