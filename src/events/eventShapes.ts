// The shapes of events (contract section 5; capabilities section 0, Events): one for each type, distinguished by `type`.

import { z } from "zod";
import { Actor, Label, Person, Role, Tag, Timestamp, Visibility } from "../api/shapes.js";
import { CARD_FIELDS, outputShape } from "../card/model/cardFields.js";
import { Comment, LoggedCard } from "../card/model/cardShapes.js";
import { Checklist, ChecklistItem } from "../card/model/ownParts.js";
import { event } from "../db/schema/index.js";

const Text = z.string();
const Position = z.int().min(0).max(Number.MAX_SAFE_INTEGER).meta({ description: "A zero-based position." });

/** A value before and after. */
const changed = <T extends z.ZodType>(value: T) =>
  z.object({ from: value.meta({ description: "Before." }), to: value.meta({ description: "After." }) });

/** The fields that an edit changed, each with its value before and after. */
function changesOf<Shape extends Record<string, z.ZodType>>(shape: Shape) {
  const entries = Object.entries(shape).map(([name, value]) => [name, changed(value).optional()]);
  // The entries correspond to those of the shape.
  const fields = Object.fromEntries(entries) as {
    [Name in keyof Shape]: z.ZodOptional<ReturnType<typeof changed<Shape[Name]>>>;
  };
  return z.object(fields);
}

const described = <T extends z.ZodType>(changes: T) => changes.meta({ description: "The fields that changed." });
const secretChange = z
  .object({})
  .meta({ description: "Present if the value changed. Events do not contain the value." })
  .optional();

const Member = z
  .object({
    publicId: Text,
    name: Text,
    image: Text.nullable().meta({ description: "The https URL of a picture, or null." }),
    role: Role,
    status: z.enum(["active", "invited"]).meta({ description: "`invited` until the person accepts the invitation." }),
  })
  .meta({ id: "LoggedMember", description: "A member as events show it." });

const List = z
  .object({ publicId: Text, name: Text, index: Position })
  .meta({ id: "LoggedList", description: "A list when it was created." });

const Board = z
  .object({
    publicId: Text,
    name: Text,
    slug: Text.meta({ description: "The name of the board in URLs." }),
    visibility: Visibility,
    isArchived: z.boolean(),
    tags: z.array(Tag).meta({ description: "The tags of the board." }),
    labels: z.array(Label).meta({ description: "The labels of the board." }),
    members: z.array(Member).meta({ description: "The members of the board." }),
    lists: z.array(List).meta({ description: "The lists of the board, in order." }),
  })
  .meta({ id: "LoggedBoard", description: "A board when it was created." });

const CardPlace = z
  .object({
    boardPublicId: Text.meta({ description: "Present if the card moved to another board." }).optional(),
    listPublicId: Text,
    index: Position,
  })
  .meta({ id: "CardPlace", description: "Where a card is." });

const board = z.optional(Board);
const name = Text.optional();
const ofMember = { memberPublicId: Text };
const ofMemberRole = { ...ofMember, role: Role };
const ofTag = { tagPublicId: Text };
const wholeTag = { ...ofTag, name: Text, colourCode: Text.meta({ description: "A colour as `#rrggbb`." }) };
const boardTag = { ...ofTag, name, colourCode: wholeTag.colourCode.optional() };
const ofMeeting = { meetingPublicId: Text, title: Text };
const Meeting = z
  .object({
    publicId: Text,
    title: Text,
    scheduledAt: Timestamp.nullable().meta({ description: "The time of the first meeting, or null." }),
    description: Text,
    recurrence: Text.meta({ description: "How often the meeting takes place; `none`: once." }),
  })
  .meta({ id: "LoggedMeeting", description: "A meeting when it was created, without its call link." });
const ofWebhook = { webhookPublicId: Text, name: Text };
const wholeWebhook = {
  ...ofWebhook,
  events: z.array(Text).meta({ description: "The types of events that are sent, or prefixes (`card.*`, `*`)." }),
  active: z.boolean().meta({ description: "Whether messages are sent." }),
};
const ofList = { listPublicId: Text };
const ofLabel = { labelPublicId: Text };
const ofComment = { commentPublicId: Text };
const ofChecklist = { checklistPublicId: Text };
const ofItem = { ...ofChecklist, itemPublicId: Text };
const nameChanges = described(changesOf({ name: Text }));
const completion = changed(Timestamp.nullable()).shape;
const { completedAt: _, ...editedFields } = outputShape(CARD_FIELDS);

/**
 * The types of events, as contract section 5 lists them, each with its `data`. Fields that redaction removes are optional (`redaction.ts`):
 * identifiers, `from`, `to` and `cardNumber` always stay.
 */
const DATA = {
  "workspace.updated": {
    changes: described(
      changesOf({
        name: Text,
        slug: Text,
        description: Text,
        showEmailsToMembers: z.boolean(),
        weekStartDay: z.int().min(0).max(6),
        cardPrefix: Text,
      }),
    ),
  },
  "member.invited": { ...ofMemberRole, member: Member },
  "member.added": { ...ofMemberRole, member: Member },
  "member.updated": {
    ...ofMember,
    changes: changesOf({ name: Text, image: Text.nullable() })
      .meta({
        description: "The fields that changed. Empty if only the e-mail address changed, which events do not contain.",
      })
      .optional(),
  },
  "member.removed": {
    ...ofMember,
    mergedInto: Text.meta({
      description: "The existing membership that replaced this pending one when its invitation was accepted.",
    }).optional(),
  },
  "member.role.changed": { ...ofMember, ...changed(Role).shape },
  "invite.created": {},
  "invite.revoked": {},
  "tag.created": wholeTag,
  "tag.updated": { ...ofTag, name: Text, changes: described(changesOf({ name: Text, colourCode: Text })) },
  "tag.deleted": wholeTag,
  "meeting.saved": {
    ...ofMeeting,
    meeting: Meeting.optional().meta({ description: "Present if the meeting was created." }),
    changes: described(
      z.object({
        ...changesOf({ title: Text, scheduledAt: Timestamp.nullable(), description: Text, recurrence: Text }).shape,
        callLink: secretChange,
      }),
    ).optional(),
  },
  "meeting.deleted": ofMeeting,
  "webhook.created": wholeWebhook,
  "webhook.updated": {
    ...wholeWebhook,
    changes: described(
      z.object({
        ...changesOf({ name: Text, events: z.array(Text), active: z.boolean() }).shape,
        url: secretChange,
        secret: secretChange,
      }),
    ),
  },
  "webhook.deleted": ofWebhook,
  "board.created": {
    board,
    copiedFrom: Text.meta({
      description: "The board that this one is a copy of. Left out for readers who cannot see that board.",
    }).optional(),
  },
  "board.updated": {
    changes: described(changesOf({ name: Text, slug: Text, visibility: Visibility })).optional(),
  },
  "board.archived": {},
  "board.unarchived": {},
  "board.deleted": { name },
  "board.imported": { board },
  "board.member.added": { ...ofMember, member: Member.optional() },
  "board.member.removed": ofMember,
  "board.tag.added": boardTag,
  "board.tag.removed": boardTag,
  "list.created": { ...ofList, list: List.optional() },
  "list.updated": { ...ofList, changes: nameChanges.optional() },
  "list.moved": { ...ofList, ...changed(z.object({ index: Position })).shape },
  "list.deleted": { ...ofList, name },
  "label.created": { ...ofLabel, label: Label.optional() },
  "label.updated": { ...ofLabel, changes: described(changesOf({ name: Text, colourCode: Text })).optional() },
  "label.deleted": { ...ofLabel, name },
  "card.created": {
    to: CardPlace.optional().meta({ description: "Where the card was put; left out if it was created archived." }),
    card: LoggedCard.optional(),
  },
  "card.updated": { changes: described(changesOf(editedFields)).optional() },
  "card.moved": {
    cardPublicId: Text.meta({ description: "The card, in the event of the board that the card left." }).optional(),
    from: CardPlace.meta({
      description: "Where the card was. Left out for readers who cannot see the board that the card came from.",
    }).optional(),
    to: CardPlace.meta({
      description: "Where the card is. Left out for readers who cannot see the board that the card moved to.",
    }).optional(),
    card: LoggedCard.meta({
      description: "The card as it arrived, in the event of the board that it moved to.",
    }).optional(),
  },
  "card.archived": { from: z.object({ listPublicId: Text.nullable() }).meta({ description: "The list of the card." }) },
  "card.unarchived": { to: CardPlace, card: LoggedCard.optional() },
  "card.deleted": { cardNumber: Position.meta({ description: "The number of the card in the workspace." }) },
  "card.completed": completion,
  "card.reopened": completion,
  "card.label.added": ofLabel,
  "card.label.removed": ofLabel,
  "card.member.added": { ...ofMember, member: Person.optional() },
  "card.member.removed": ofMember,
  "comment.created": { ...ofComment, comment: Comment.optional() },
  "comment.updated": {
    ...ofComment,
    changes: described(changesOf({ comment: Text })).optional(),
    editedAt: Timestamp.meta({ description: "When the text was changed." }).optional(),
  },
  "comment.deleted": ofComment,
  "checklist.created": { ...ofChecklist, checklist: Checklist.optional() },
  "checklist.updated": { ...ofChecklist, changes: nameChanges.optional() },
  "checklist.deleted": {
    ...ofChecklist,
    name,
    checklistItems: z
      .object({
        total: Position.meta({ description: "The number of items." }),
        completed: Position.meta({ description: "The number of completed items." }),
      })
      .meta({ description: "The items of the checklist." })
      .optional(),
  },
  "checklist.item.created": { ...ofItem, item: ChecklistItem.optional() },
  "checklist.item.updated": {
    ...ofItem,
    changes: described(changesOf({ title: Text, index: Position })).optional(),
  },
  "checklist.item.completed": { ...ofItem, title: name },
  "checklist.item.reopened": { ...ofItem, title: name },
  "checklist.item.deleted": { ...ofItem, title: name, completed: z.boolean().optional() },
} as const satisfies Record<string, Record<string, z.ZodType>>;

/** The type of an event, such as `card.moved`. */
export type EventType = keyof typeof DATA;

/** Every type of event. */
export const EVENT_TYPES: readonly string[] = Object.keys(DATA);

const Origin = z
  .object({
    kind: z.enum(event.origin.enumValues).meta({
      description:
        "`user`: a call with a session token; `token`: a call with a personal token; `import`: an import; `system`: the service itself. Other values are reserved.",
    }),
  })
  .meta({ id: "EventOrigin", description: "Who or what made the change." });

const begin = {
  id: z
    .int()
    .min(1)
    .max(Number.MAX_SAFE_INTEGER)
    .meta({ id: "EventNumber", description: "The number of the event in the workspace." }),
};
const place = {
  createdAt: Timestamp,
  actor: Actor.nullable().meta({
    id: "EventActor",
    description: "The account that made the change; null if the service made it.",
  }),
  workspacePublicId: Text,
  boardPublicId: Text.nullable().meta({ description: "The changed board, or null." }),
  cardPublicId: Text.nullable().meta({ description: "The changed card, or null." }),
};
const end = {
  operationPublicId: Text.meta({ description: "The same for all events of one request." }),
  requestKey: Text.nullable().meta({
    id: "EventRequestKey",
    description:
      "The `Request-Key` of the request that made the change; null if it had none. Not unique: compare it together with `actor`.",
  }),
  origin: Origin,
  redacted: z.boolean().meta({
    id: "EventRedaction",
    description:
      "Whether names and texts were removed because the object that they belonged to was deleted, or the person left.",
  }),
  isLast: z
    .boolean()
    .meta({
      id: "EventIsLast",
      description:
        "In streams alone: true for the last event of its operation that the stream delivers, else left out.",
    })
    .optional(),
};

/** `card.label.added` has the component `CardLabelAddedEvent`. */
const componentOf = (type: string) =>
  `${type.replace(/(?:^|\.)(\w)/g, (_match, first: string) => first.toUpperCase())}Event`;

/** The object of one type's data, which the compiler would otherwise treat as a union of all types. */
const dataOf = <Type extends EventType>(type: Type) =>
  z.object(DATA[type]) as unknown as z.ZodObject<(typeof DATA)[Type]>;

function variantOf<Type extends EventType>(type: Type) {
  return z
    .object({
      ...begin,
      type: z.literal(type),
      ...place,
      data: dataOf(type).meta({ description: "What changed." }),
      ...end,
    })
    .meta({ id: componentOf(type), description: `An event of the type \`${type}\`.` });
}

type Variants = { [Type in EventType]: ReturnType<typeof variantOf<Type>> };

/** A variant for each type, in the order of the table. */
const variants = Object.keys(DATA).map((type) => variantOf(type as EventType)) as unknown as [
  Variants[EventType],
  ...Variants[EventType][],
];

/** An event, the same in lists, activities, streams and webhooks (contract section 5). `actor` is null for changes by the service. */
export const Event = z
  .discriminatedUnion("type", variants)
  .meta({ id: "Event", description: "A change in a workspace. `type` decides what `data` holds." });
export type Event = z.output<typeof Event>;
