// Events as sentences, for activities, notifications and announcements to screen readers.

import { type EventTexts, englishTexts, type NamedKind, type SentenceVariant } from "./eventTexts.js";
import type { Event, EventOf, EventType } from "./types.js";

/** A part of a sentence. The texts of all parts in order, with nothing between them, are the sentence. */
export interface SentencePart {
  /** `text`: words; `value`: what a field was or became; `person`: the account of the actor; else the kind of the thing that is named. */
  kind: "text" | "value" | "person" | NamedKind;
  text: string;
  /** The identifier of what is named, for a link. Null for words and values, and for the service as the actor. */
  publicId: string | null;
}

export interface DescribeOptions {
  /** The present name of a thing or a member, if you know it. Otherwise the sentence has the name in the event, or a word such as "a card". */
  nameOf: (kind: NamedKind, publicId: string) => string | null | undefined;
  /** The words of the language, English by default. */
  texts?: EventTexts;
}

/** A thing that a sentence names, with its name in the event. */
interface Named {
  kind: NamedKind;
  publicId: string;
  name: string | undefined;
}

/** The parts of a sentence by their names in texts: things, and values as words. */
type Parts = Partial<Record<NamedKind | "from" | "to" | "fields", Named | string>>;

interface Sentence {
  /** Undefined for the sentence of the type. */
  variant?: SentenceVariant;
  parts?: Parts;
}

type Description<Type extends EventType> = (data: EventOf<Type>["data"], texts: EventTexts, event: Event) => Sentence;

const named = (kind: NamedKind, publicId: string, name?: string): Named => ({ kind, publicId, name });

/** The description of a type whose sentence names nothing but the actor, the board and the card. */
const plain = (): Sentence => ({});

/** A sentence about a changed name, if the name changed. */
const renaming = (
  change: { from: string; to: string } | undefined,
  variant: SentenceVariant,
  parts: Parts = {},
): Sentence => (change === undefined ? { parts } : { variant, parts: { ...parts, from: change.from, to: change.to } });

/** Somebody who has not accepted the invitation has no name yet. */
const ofMember = ({
  memberPublicId,
  member,
}: {
  memberPublicId: string;
  member?: { name: string; status?: string };
}) => ({
  parts: { member: named("member", memberPublicId, member?.status === "invited" ? undefined : member?.name) },
});
const ofTag = ({ tagPublicId, name }: { tagPublicId: string; name?: string | undefined }) => ({
  parts: { tag: named("tag", tagPublicId, name) },
});
const ofMeeting = ({ meetingPublicId, title }: { meetingPublicId: string; title: string }) => ({
  meeting: named("meeting", meetingPublicId, title),
});
const ofWebhook = ({ webhookPublicId, name }: { webhookPublicId: string; name: string }) => ({
  parts: { webhook: named("webhook", webhookPublicId, name) },
});
const ofItem = ({ itemPublicId, title }: { itemPublicId: string; title?: string | undefined }) => ({
  parts: { item: named("item", itemPublicId, title) },
});
const onList = ({ listPublicId }: { listPublicId: string }) => named("list", listPublicId);

/** The word for a value; the value itself if a newer service has it. */
const word = (words: Readonly<Record<string, string>>, value: string): string => words[value] ?? value;

const isMidnight = (date: string | null) => date?.endsWith("T00:00:00.000Z") ?? true;

/** A due date as words: a day is the same date everywhere, an instant is in the time zone of the reader. */
const dateText = (date: string, hasTime: boolean, { locale }: EventTexts): string =>
  new Intl.DateTimeFormat(locale, {
    dateStyle: "medium",
    ...(hasTime ? { timeStyle: "short" } : { timeZone: "UTC" }),
  }).format(new Date(date));

/** An edit of one field has a sentence of its own if the texts have one; other edits list their fields. */
function editOfCard({ changes }: EventOf<"card.updated">["data"], texts: EventTexts): Sentence {
  if (changes === undefined) return {};
  const { dueHasTime, ...others } = changes;
  const { title, dueDate, priority } = others;
  if (Object.keys(others).length === 1) {
    if (title !== undefined) return renaming(title, "card.renamed");
    if (priority !== undefined) return { variant: "card.priority", parts: { to: word(texts.priorities, priority.to) } };
    if (dueDate?.to === null) return { variant: "card.due.removed" };
    if (dueDate !== undefined) {
      const hasTime = dueHasTime?.to ?? !(isMidnight(dueDate.from) && isMidnight(dueDate.to));
      return { variant: "card.due", parts: { to: dateText(dueDate.to, hasTime, texts) } };
    }
  }
  const fields = Object.keys(changes).map((name) => word(texts.fields, name));
  return { variant: "card.fields", parts: { fields: new Intl.ListFormat(texts.locale).format(new Set(fields)) } };
}

/** A card moves within a list, to another list, or between boards, each of which has an event of its own. */
function moveOfCard(
  { cardPublicId, from, to }: EventOf<"card.moved">["data"],
  { boardPublicId, cardPublicId: onBoard }: Event,
): Sentence {
  if (onBoard === null) {
    const card = named("card", cardPublicId ?? "");
    const board = to?.boardPublicId;
    return board === undefined
      ? { variant: "card.moved.awayUnseen", parts: { card } }
      : { variant: "card.moved.away", parts: { card, to: named("board", board) } };
  }
  const parts = to && { to: onList(to) };
  if (from === undefined) return { variant: "card.moved.hereUnseen", ...(parts && { parts }) };
  const isFromElsewhere = from.boardPublicId !== undefined && from.boardPublicId !== boardPublicId;
  if (isFromElsewhere)
    return { variant: "card.moved.here", parts: { ...parts, from: named("board", from.boardPublicId ?? "") } };
  if (from.listPublicId === to?.listPublicId) return { variant: "card.moved.within", ...(parts && { parts }) };
  return { parts: { ...parts, from: onList(from) } };
}

/** The sentence of each type of event. */
const DESCRIPTIONS: { [Type in EventType]: Description<Type> } = {
  "workspace.updated": ({ changes }) => renaming(changes.name, "workspace.renamed"),
  "member.invited": ofMember,
  "member.added": ofMember,
  "member.updated": ({ memberPublicId, changes }) =>
    renaming(changes?.name, "member.renamed", ofMember({ memberPublicId }).parts),
  "member.removed": (data) => (data.mergedInto === undefined ? ofMember(data) : { variant: "member.merged" }),
  "member.role.changed": (data, texts) => ({ parts: { ...ofMember(data).parts, to: word(texts.roles, data.to) } }),
  "invite.created": plain,
  "invite.revoked": plain,
  "tag.created": ofTag,
  "tag.updated": (data) => renaming(data.changes.name, "tag.renamed", ofTag(data).parts),
  "tag.deleted": ofTag,
  "meeting.saved": (data) => ({
    ...(data.meeting !== undefined && { variant: "meeting.created" }),
    parts: ofMeeting(data),
  }),
  "meeting.deleted": (data) => ({ parts: ofMeeting(data) }),
  "webhook.created": ofWebhook,
  "webhook.updated": ofWebhook,
  "webhook.deleted": ofWebhook,
  "board.created": ({ board, copiedFrom }, _texts, { boardPublicId }) => {
    const parts = { board: named("board", boardPublicId ?? "", board?.name) };
    return copiedFrom === undefined
      ? { parts }
      : { variant: "board.copied", parts: { ...parts, from: named("board", copiedFrom) } };
  },
  "board.updated": ({ changes }, texts) => {
    if (changes?.name !== undefined) return renaming(changes.name, "board.renamed");
    if (changes?.visibility === undefined) return {};
    return { variant: "board.visibility", parts: { to: word(texts.visibilities, changes.visibility.to) } };
  },
  "board.archived": plain,
  "board.unarchived": plain,
  "board.deleted": ({ name }, _texts, { boardPublicId }) => ({
    parts: { board: named("board", boardPublicId ?? "", name) },
  }),
  "board.imported": ({ board }, _texts, { boardPublicId }) => ({
    parts: { board: named("board", boardPublicId ?? "", board?.name) },
  }),
  "board.member.added": ofMember,
  "board.member.removed": ofMember,
  "board.tag.added": ofTag,
  "board.tag.removed": ofTag,
  "list.created": ({ listPublicId, list }) => ({ parts: { list: named("list", listPublicId, list?.name) } }),
  "list.updated": (data) => renaming(data.changes?.name, "list.renamed", { list: onList(data) }),
  "list.moved": (data) => ({ parts: { list: onList(data) } }),
  "list.deleted": ({ listPublicId, name }) => ({ parts: { list: named("list", listPublicId, name) } }),
  "label.created": ({ labelPublicId, label }) => ({ parts: { label: named("label", labelPublicId, label?.name) } }),
  "label.updated": ({ labelPublicId, changes }) =>
    renaming(changes?.name, "label.renamed", { label: named("label", labelPublicId) }),
  "label.deleted": ({ labelPublicId, name }) => ({ parts: { label: named("label", labelPublicId, name) } }),
  "card.created": ({ card, to }, _texts, { cardPublicId }) => {
    const parts = { card: named("card", cardPublicId ?? "", card?.title) };
    return to === undefined
      ? { variant: "card.created.archived", parts }
      : { parts: { ...parts, to: named("list", to.listPublicId, card?.list?.name) } };
  },
  "card.updated": editOfCard,
  "card.moved": (data, _texts, event) => moveOfCard(data, event),
  "card.archived": plain,
  "card.unarchived": ({ to }) => ({ parts: { to: onList(to) } }),
  "card.deleted": plain,
  "card.completed": plain,
  "card.reopened": plain,
  "card.label.added": ({ labelPublicId }) => ({ parts: { label: named("label", labelPublicId) } }),
  "card.label.removed": ({ labelPublicId }) => ({ parts: { label: named("label", labelPublicId) } }),
  "card.member.added": ofMember,
  "card.member.removed": ofMember,
  "comment.created": plain,
  "comment.updated": plain,
  "comment.deleted": plain,
  "checklist.created": ({ checklistPublicId, checklist }) => ({
    parts: { checklist: named("checklist", checklistPublicId, checklist?.name) },
  }),
  "checklist.updated": ({ checklistPublicId, changes }) =>
    renaming(changes?.name, "checklist.renamed", { checklist: named("checklist", checklistPublicId) }),
  "checklist.deleted": ({ checklistPublicId, name }) => ({
    parts: { checklist: named("checklist", checklistPublicId, name) },
  }),
  "checklist.item.created": ({ itemPublicId, item }) => ofItem({ itemPublicId, title: item?.title }),
  "checklist.item.updated": ({ itemPublicId, changes }) => {
    const { parts } = ofItem({ itemPublicId });
    const isMoved = changes?.title === undefined && changes?.index !== undefined;
    return isMoved ? { variant: "item.moved", parts } : renaming(changes?.title, "item.renamed", parts);
  },
  "checklist.item.completed": ofItem,
  "checklist.item.reopened": ofItem,
  "checklist.item.deleted": ofItem,
};

/** The description of an event by its own type; none for a type that a newer service has. */
const descriptionOf = ({ type }: Event): Description<EventType> | undefined =>
  Object.hasOwn(DESCRIPTIONS, type) ? (DESCRIPTIONS[type] as Description<EventType>) : undefined;

/**
 * Describes an event in a sentence, such as "Ada moved Write the first program from Ideas to Done". Its parts keep names apart from
 * words, so that a front end can make links of them. An unknown type has a sentence without details.
 */
export function describe(event: Event, { nameOf, texts = englishTexts }: DescribeOptions): SentencePart[] {
  const { type, actor, boardPublicId, cardPublicId } = event;
  const found = descriptionOf(event);
  const { variant, parts }: Sentence = found?.(event.data, texts, event) ?? { variant: "other" };
  const all: Parts = {
    ...(boardPublicId !== null && { board: named("board", boardPublicId) }),
    ...(cardPublicId !== null && { card: named("card", cardPublicId) }),
    ...parts,
  };
  const partOf = (name: string): SentencePart => {
    if (name === "actor") {
      const [kind, publicId] = actor === null ? (["text", null] as const) : (["person", actor.publicId] as const);
      return { kind, text: actor?.name ?? texts.service, publicId };
    }
    const part = all[name as keyof Parts];
    if (part === undefined) return { kind: "text", text: word(texts.unnamed, name), publicId: null };
    if (typeof part === "string") return { kind: "value", text: part, publicId: null };
    const { kind, publicId } = part;
    return {
      kind,
      text: nameOf(kind, publicId) ?? part.name ?? word(texts.unnamed, kind === "list" ? name : kind),
      publicId,
    };
  };
  return texts.sentences[variant ?? type].split(/\{(\w+)\}/).flatMap((text, index): SentencePart[] => {
    if (index % 2 === 1) return [partOf(text)];
    return text === "" ? [] : [{ kind: "text", text, publicId: null }];
  });
}
