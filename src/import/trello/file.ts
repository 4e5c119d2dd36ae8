// The parts of Trello's board export that an import reads. Trello adds fields at any time: fields that are not listed here may
// contain anything, and `inventory.ts` reports what becomes of them.

import { z } from "zod";
import { Text } from "../../api/shapes.js";
import { FILE_LIMITS } from "../../board/file.js";
import { checked } from "../files/checkedFile.js";

const Id = Text(1, 100);
const Short = Text(0, 1000);
/** Longer than any text in Trello. */
const Long = Text(0, 1_000_000);
const Flag = z.boolean().nullish();
const COLOURS_MAX = 100;
/** A position by which siblings are sorted. */
const Position = z.number().nullish();

const List = z.looseObject({ id: Id, name: Long, closed: Flag, pos: Position });
const Label = z.looseObject({ id: Id, name: Long.nullish(), color: Short.nullish() });
const Member = z.looseObject({
  id: Id,
  fullName: Short.nullish(),
  username: Short.nullish(),
  email: Short.nullish(),
});
const Item = z.looseObject({ name: Long, state: Short.nullish(), pos: Position });
const Checklist = z.looseObject({
  id: Id,
  name: Long,
  idCard: Id.nullish(),
  pos: Position,
  checkItems: z.array(Item).nullish(),
});
const CustomField = z.looseObject({
  id: Id,
  name: Long,
  type: Short.nullish(),
  pos: Position,
  options: z.array(z.looseObject({ id: Id, value: z.looseObject({ text: Long.nullish() }).nullish() })).nullish(),
});
const FieldValue = z.looseObject({
  idCustomField: Id,
  idValue: Id.nullish(),
  value: z
    .looseObject({ text: Long.nullish(), number: Short.nullish(), date: Short.nullish(), checked: Short.nullish() })
    .nullish(),
});
const Attachment = z.looseObject({ name: Long.nullish(), url: Long.nullish() });

const Card = z.looseObject({
  id: Id,
  name: Long,
  idList: Id,
  desc: Long.nullish(),
  closed: Flag,
  pos: Position,
  due: Short.nullish(),
  dueComplete: Flag,
  start: Short.nullish(),
  dateCompleted: Short.nullish(),
  dateClosed: Short.nullish(),
  idLabels: z.array(Id).nullish(),
  labels: z.array(Label).nullish(),
  idMembers: z.array(Id).nullish(),
  idChecklists: z.array(Id).nullish(),
  checklists: z.array(Checklist).nullish(),
  customFieldItems: z.array(FieldValue).nullish(),
  attachments: z.array(Attachment).nullish(),
  address: Long.nullish(),
  locationName: Long.nullish(),
  badges: z.looseObject({ comments: z.number().nullish() }).nullish(),
});

const Action = z.looseObject({
  type: Short,
  id: Id.nullish(),
  date: Short.nullish(),
  idMemberCreator: Id.nullish(),
  memberCreator: z.looseObject({ fullName: Short.nullish(), username: Short.nullish() }).nullish(),
  data: z
    .looseObject({
      text: Long.nullish(),
      dateLastEdited: Short.nullish(),
      card: z.looseObject({ id: Id.nullish(), dueComplete: Flag, closed: Flag }).nullish(),
      old: z.looseObject({}).nullish(),
    })
    .nullish(),
});

const Board = z.looseObject({
  name: Long,
  lists: z.array(List),
  cards: z.array(Card),
  prefs: z.looseObject({ permissionLevel: Short.nullish() }).nullish(),
  labels: z.array(Label).nullish(),
  labelNames: z
    .object({})
    .catchall(Long.nullable())
    .refine((names) => Object.keys(names).length <= COLOURS_MAX, `Must have at most ${COLOURS_MAX} colours`)
    .nullish(),
  members: z.array(Member).nullish(),
  checklists: z.array(Checklist).nullish(),
  customFields: z.array(CustomField).nullish(),
  actions: z.array(Action).nullish(),
});

/** A board as Trello's "Export as JSON" writes it. */
export const TrelloFile = checked(
  {
    lists: { part: List, max: FILE_LIMITS.lists },
    cards: { part: Card, max: FILE_LIMITS.cards },
    labels: { part: Label, max: FILE_LIMITS.labels },
    members: { part: Member, max: FILE_LIMITS.people },
    checklists: { part: Checklist, max: FILE_LIMITS.items },
    customFields: { part: CustomField, max: 1000 },
    actions: { part: Action, max: 200_000 },
  },
  Board,
);

export type TrelloFile = z.output<typeof Board>;
export type TrelloCard = z.output<typeof Card>;
export type TrelloChecklist = z.output<typeof Checklist>;
export type TrelloAction = z.output<typeof Action>;
export type TrelloLabel = z.output<typeof Label>;
export type TrelloField = z.output<typeof CustomField>;
