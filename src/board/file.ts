// The board file (contract section 2, Files in and Files out): what `GET /boards/{boardPublicId}/export` writes and
// `POST /imports/boards` reads. One schema for both, so that what goes out comes in; it has neither defaults nor coercion.

import { z } from "zod";
import { filedShape } from "../access/cardFields.js";
import {
  BoardName,
  ChecklistName,
  Colour,
  CommentText,
  Instant,
  ItemTitle,
  LabelName,
  LENGTHS,
  ListName,
  Name,
  PublicId,
  Slug,
  Text,
  Visibility,
} from "../api/shapes.js";

export const FILE_FORMAT = "work-board/board";
export const FILE_VERSION = 1;

const Comment = z.strictObject({
  publicId: PublicId,
  parentCommentPublicId: PublicId.nullable().meta({
    description: "The comment of the same card, further up, that this one replies to.",
  }),
  author: Name(LENGTHS.name).meta({
    description: "Who wrote it, by the name it had; of an imported comment who wrote it there.",
  }),
  comment: CommentText,
  createdAt: Instant,
  editedAt: Instant.nullable(),
});

const Checklist = z.strictObject({
  name: ChecklistName,
  items: z.array(z.strictObject({ title: ItemTitle, completed: z.boolean() })),
});

const { title, description, priority, ...otherFields } = filedShape();

/** A card of a board file with everything on it. */
export const FileCard = z.strictObject({
  publicId: PublicId,
  cardNumber: z.int().min(1).max(2_147_483_647).meta({ description: "For people; an import gives new numbers." }),
  listPublicId: PublicId.nullable().meta({
    description: "Null for an archived card whose list was deleted.",
  }),
  title,
  description,
  priority,
  ...otherFields,
  archivedAt: Instant.nullable(),
  createdAt: Instant,
  labelPublicIds: z.array(PublicId),
  memberPublicIds: z.array(PublicId).meta({ description: "Who is assigned, as `people` names them." }),
  checklists: z.array(Checklist),
  comments: z.array(Comment).meta({ description: "Oldest first." }),
});

/** A whole board as a file. Identifiers link its own parts and nothing else. */
export const BoardFile = z
  .strictObject({
    format: z.literal(FILE_FORMAT, `Must be ${FILE_FORMAT}: this is not the file of a board`),
    version: z.literal(FILE_VERSION, `Must be ${FILE_VERSION}, the version that this service reads`),
    name: BoardName,
    slug: Slug,
    visibility: Visibility,
    tags: z.array(z.strictObject({ name: LabelName, colourCode: Colour })),
    people: z
      .array(
        z.strictObject({
          publicId: PublicId,
          name: Name(LENGTHS.name),
          email: Text(1, 254).nullable().meta({ description: "Null where whoever exported may not see it." }),
        }),
      )
      .meta({ description: "Who is on the board or assigned to its cards; found again by `email`." }),
    memberPublicIds: z.array(PublicId).meta({ description: "Those of `people` who are on the board itself." }),
    labels: z.array(z.strictObject({ publicId: PublicId, name: LabelName, colourCode: Colour })),
    lists: z.array(z.strictObject({ publicId: PublicId, name: ListName })).meta({ description: "In order." }),
    cards: z.array(FileCard).meta({
      description: "Open cards in the order of their lists and within them, then archived ones by `archivedAt`.",
    }),
  })
  .meta({ id: "BoardFile", description: "A board with everything on it, to keep or to import elsewhere." });

export type BoardFile = z.output<typeof BoardFile>;
export type FileCard = z.output<typeof FileCard>;
