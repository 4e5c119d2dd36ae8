// What tests of the queue of a workspace change: a tag, with its event.

import { expect } from "vitest";
import { workspaceOf } from "../../src/db/ids.js";
import { nameKey } from "../../src/db/nameKey.js";
import { tag } from "../../src/db/schema/index.js";
import type { UnitOfWork } from "../../src/db/unitOfWork.js";

/** The key of a workspace, or of what belongs to one. */
export const keyOf = ({ publicId }: { publicId: string }) => workspaceOf(publicId) ?? expect.fail();

/** Adds a tag; the number of its event. */
export function addTag(unit: UnitOfWork, name: string): number {
  const publicId = unit.newPublicId();
  unit.add(tag, { id: unit.newRowId(), publicId, name, nameKey: nameKey(name), colourCode: "#112233" });
  return unit.log({
    ...{ type: "tag.created", actorId: null, boardPublicId: null, cardPublicId: null },
    ...{ data: { tagPublicId: publicId }, operationPublicId: unit.newPublicId(), origin: "system" },
  });
}
