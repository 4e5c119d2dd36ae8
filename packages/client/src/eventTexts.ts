// The words of `describe` in English. Another language is another object of this shape.

import type { Event, EventOf, EventType } from "./types.js";

type KindOf<Key> = Key extends `${infer Kind}PublicId` ? Kind : never;
type KindsIn<Data> = Data extends unknown ? KindOf<keyof Data> : never;

/** The kinds of things that sentences name: what events identify, but comments have no name. */
export type NamedKind = "board" | Exclude<KindsIn<Event["data"]>, "comment">;

/** The sentences for events that need another one than the sentence of their type. */
export type SentenceVariant =
  | "workspace.renamed"
  | "member.merged"
  | "member.renamed"
  | "meeting.created"
  | "board.copied"
  | "board.renamed"
  | "board.visibility"
  | "list.renamed"
  | "label.renamed"
  | "tag.renamed"
  | "checklist.renamed"
  | "card.created.archived"
  | "card.renamed"
  | "card.due"
  | "card.due.removed"
  | "card.priority"
  | "card.fields"
  | "card.moved.within"
  | "card.moved.here"
  | "card.moved.hereUnseen"
  | "card.moved.away"
  | "card.moved.awayUnseen"
  | "item.renamed"
  | "item.moved"
  | "other";

type Changes = NonNullable<EventOf<"card.updated">["data"]["changes"]>;
type Priority = NonNullable<Changes["priority"]>["to"];
type Role = EventOf<"member.role.changed">["data"]["to"];
type Visibility = NonNullable<NonNullable<EventOf<"board.updated">["data"]["changes"]>["visibility"]>["to"];

/** The words of a language. */
export interface EventTexts {
  /** The language as `Intl` names it, such as `en`: lists of fields are written as is usual there. */
  locale: string;
  /** The language in whose form dates are written, by the Gregorian calendar; `locale` by default. */
  datesLocale?: string;
  /** A sentence for each type of event. A name in braces stands for a part of it, in the order that the language needs. */
  sentences: Record<EventType | SentenceVariant, string>;
  /** The actor of an event that the service wrote by itself. */
  service: string;
  /** The words for a thing whose name nobody knows any more; `from` and `to` are lists. */
  unnamed: Record<NamedKind | "from" | "to", string>;
  /** The fields of a card, in sentences that list them. */
  fields: Record<keyof Changes, string>;
  priorities: Record<Priority, string>;
  roles: Record<Role, string>;
  visibilities: Record<Visibility, string>;
}

/** The words of `describe` in English. */
export const englishTexts: EventTexts = {
  locale: "en",
  sentences: {
    "workspace.updated": "{actor} changed the workspace",
    "workspace.renamed": "{actor} renamed the workspace {from} to {to}",
    "member.invited": "{actor} invited {member}",
    "member.added": "{member} joined the workspace",
    "member.updated": "The profile of {member} changed",
    "member.renamed": "{from} is now called {to}",
    "member.removed": "{actor} removed {member} from the workspace",
    "member.merged": "{actor} accepted an invitation",
    "member.role.changed": "{actor} made {member} {to}",
    "invite.created": "{actor} created an invite link",
    "invite.revoked": "{actor} revoked an invite link",
    "tag.created": "{actor} created the tag {tag}",
    "tag.updated": "{actor} changed the tag {tag}",
    "tag.renamed": "{actor} renamed the tag {from} to {to}",
    "tag.deleted": "{actor} deleted the tag {tag}",
    "meeting.created": "{actor} planned the meeting {meeting}",
    "meeting.saved": "{actor} changed the meeting {meeting}",
    "meeting.deleted": "{actor} deleted the meeting {meeting}",
    "webhook.created": "{actor} created the webhook {webhook}",
    "webhook.updated": "{actor} changed the webhook {webhook}",
    "webhook.deleted": "{actor} deleted the webhook {webhook}",
    "board.created": "{actor} created the board {board}",
    "board.copied": "{actor} created the board {board} as a copy of the board {from}",
    "board.updated": "{actor} changed the board {board}",
    "board.renamed": "{actor} renamed the board {from} to {to}",
    "board.visibility": "{actor} made the board {board} {to}",
    "board.archived": "{actor} archived the board {board}",
    "board.unarchived": "{actor} restored the board {board}",
    "board.deleted": "{actor} deleted the board {board}",
    "board.imported": "{actor} imported the board {board}",
    "board.member.added": "{actor} added {member} to the board {board}",
    "board.member.removed": "{actor} removed {member} from the board {board}",
    "board.tag.added": "{actor} put the tag {tag} on the board {board}",
    "board.tag.removed": "{actor} took the tag {tag} off the board {board}",
    "list.created": "{actor} added the list {list}",
    "list.updated": "{actor} changed the list {list}",
    "list.renamed": "{actor} renamed the list {from} to {to}",
    "list.moved": "{actor} moved the list {list}",
    "list.deleted": "{actor} deleted the list {list}",
    "label.created": "{actor} created the label {label}",
    "label.updated": "{actor} changed the label {label}",
    "label.renamed": "{actor} renamed the label {from} to {to}",
    "label.deleted": "{actor} deleted the label {label}",
    "card.created": "{actor} added {card} to {to}",
    "card.created.archived": "{actor} added {card} to the archive",
    "card.updated": "{actor} changed {card}",
    "card.renamed": "{actor} renamed {from} to {to}",
    "card.due": "{actor} set the due date of {card} to {to}",
    "card.due.removed": "{actor} removed the due date of {card}",
    "card.priority": "{actor} set the priority of {card} to {to}",
    "card.fields": "{actor} changed {fields} of {card}",
    "card.moved": "{actor} moved {card} from {from} to {to}",
    "card.moved.within": "{actor} moved {card} within {to}",
    "card.moved.here": "{actor} moved {card} from the board {from} to {to}",
    "card.moved.hereUnseen": "{actor} moved {card} from another board to {to}",
    "card.moved.away": "{actor} moved {card} to the board {to}",
    "card.moved.awayUnseen": "{actor} moved {card} to another board",
    "card.archived": "{actor} archived {card}",
    "card.unarchived": "{actor} restored {card} to {to}",
    "card.deleted": "{actor} deleted {card}",
    "card.completed": "{actor} completed {card}",
    "card.reopened": "{actor} reopened {card}",
    "card.label.added": "{actor} put the label {label} on {card}",
    "card.label.removed": "{actor} took the label {label} off {card}",
    "card.member.added": "{actor} assigned {member} to {card}",
    "card.member.removed": "{actor} unassigned {member} from {card}",
    "comment.created": "{actor} commented on {card}",
    "comment.updated": "{actor} edited a comment on {card}",
    "comment.deleted": "{actor} deleted a comment on {card}",
    "checklist.created": "{actor} added the checklist {checklist} to {card}",
    "checklist.updated": "{actor} changed the checklist {checklist} of {card}",
    "checklist.renamed": "{actor} renamed the checklist {from} of {card} to {to}",
    "checklist.deleted": "{actor} deleted the checklist {checklist} of {card}",
    "checklist.item.created": "{actor} added {item} to a checklist of {card}",
    "checklist.item.updated": "{actor} changed {item} of {card}",
    "item.renamed": "{actor} renamed {from} to {to} on {card}",
    "item.moved": "{actor} moved {item} of {card}",
    "checklist.item.completed": "{actor} completed {item} of {card}",
    "checklist.item.reopened": "{actor} reopened {item} of {card}",
    "checklist.item.deleted": "{actor} deleted {item} of {card}",
    other: "{actor} made a change",
  },
  service: "The service",
  unnamed: {
    board: "(unknown)",
    card: "a card",
    list: "(unknown)",
    label: "(unknown)",
    member: "a person",
    tag: "(unknown)",
    checklist: "(unknown)",
    item: "an item",
    meeting: "(unknown)",
    webhook: "(unknown)",
    from: "a list",
    to: "a list",
  },
  fields: {
    title: "the title",
    description: "the description",
    dueDate: "the due date",
    dueHasTime: "the due date",
    priority: "the priority",
  },
  priorities: { none: "none", low: "low", medium: "medium", high: "high", urgent: "urgent" },
  roles: { admin: "an admin", member: "a member", guest: "a guest" },
  visibilities: { workspace: "visible to the workspace", private: "private", public: "public" },
};
