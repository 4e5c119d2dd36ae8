// The board file (contract section 2, Files in and Files out): what `GET /boards/{boardPublicId}/export` writes and `POST
// /imports/boards` reads. Both use one schema without defaults or coercion, so that every exported file can be imported.

import { z } from "zod";
import {
  BoardName,
  Colour,
  CommentText,
  Instant,
  LabelName,
  LENGTHS,
  ListName,
  Name,
  PublicId,
  Slug,
  Text,
  Visibility,
} from "../api/shapes.js";
import { filedShape } from "../card/model/cardFields.js";
import { filedPartShapes, OWN_PARTS } from "../card/model/ownParts.js";

export const FILE_FORMAT = "work-board/board";
export const FILE_VERSION = 1;

/** The largest file that one import accepts; totals for parts of cards. A larger board can be exported, but not imported. */
export const FILE_LIMITS = {
  cards: 20_000,
  lists: 5000,
  labels: 10_000,
  people: 10_000,
  labelled: 100_000,
  assigned: 100_000,
  items: OWN_PARTS.checklists.limit.max,
  comments: 100_000,
} as const;

const Comment = z.strictObject({
  publicId: PublicId,
  parentCommentPublicId: PublicId.nullable().meta({
    description: "The earlier comment of the same card that this one replies to.",
  }),
  author: Name(LENGTHS.name).meta({
    description: "The name of the author; of an imported comment, the original author.",
  }),
  comment: CommentText,
  createdAt: Instant,
  editedAt: Instant.nullable().meta({ description: "When the text was last changed, or null." }),
});

const { title, description, priority, ...otherFields } = filedShape();

/** A card of a board file with everything on it. */
export const FileCard = z.strictObject({
  publicId: PublicId,
  cardNumber: z.int().min(1).max(2_147_483_647).meta({ description: "An import assigns new numbers." }),
  listPublicId: PublicId.nullable().meta({
    description: "Null for an archived card whose list was deleted.",
  }),
  title,
  description,
  priority,
  ...otherFields,
  archivedAt: Instant.nullable().meta({ description: "When the card was archived; null while it is active." }),
  createdAt: Instant,
  labelPublicIds: z.array(PublicId),
  memberPublicIds: z.array(PublicId).meta({ description: "The assignees, by their `publicId` in `people`." }),
  ...filedPartShapes(),
  comments: z.array(Comment).meta({ description: "Oldest first." }),
});

/** A whole board as a file. Its identifiers only link its own parts. */
export const BoardFile = z
  .strictObject({
    format: z
      .literal(FILE_FORMAT, `Must be ${FILE_FORMAT}: this is not the file of a board`)
      .meta({ description: "Always the same." }),
    version: z
      .literal(FILE_VERSION, `Must be ${FILE_VERSION}, the version that this service reads`)
      .meta({ description: "The version of the format." }),
    name: BoardName,
    slug: Slug,
    visibility: Visibility,
    tags: z
      .array(z.strictObject({ name: LabelName, colourCode: Colour }))
      .meta({ description: "The tags of the board." }),
    people: z
      .array(
        z.strictObject({
          publicId: PublicId,
          name: Name(LENGTHS.name),
          email: Text(1, 254).nullable().meta({ description: "Null if the exporter may not see it." }),
        }),
      )
      .meta({
        description: "The members of the board and the assignees of its cards. An import matches them by `email`.",
      }),
    memberPublicIds: z
      .array(PublicId)
      .meta({ description: "The members of the board, by their `publicId` in `people`." }),
    labels: z
      .array(z.strictObject({ publicId: PublicId, name: LabelName, colourCode: Colour }))
      .meta({ description: "The labels of the board." }),
    lists: z.array(z.strictObject({ publicId: PublicId, name: ListName })).meta({ description: "In order." }),
    cards: z.array(FileCard).meta({
      description: "The open cards in the order of their lists, then the archived ones by `archivedAt`.",
    }),
  })
  .meta({ id: "BoardFile", description: "A board with everything on it, for backup or for import elsewhere." });

export type BoardFile = z.output<typeof BoardFile>;
export type FileCard = z.output<typeof FileCard>;
