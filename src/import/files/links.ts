// Resolves the identifiers of a board file, which only link its own parts. An identifier that refers to nothing is an error with
// its path: exported files have none.

import type { BoardFile, FileCard } from "../../board/file.js";
import { nameKey } from "../../db/nameKey.js";
import { FileNotes } from "../imported.js";
import { NameList } from "../nameList.js";
import type { CommentPlan } from "../plans.js";
import type { FileCardPlan, FilePlan } from "./filePlans.js";
import { type Path, Places, wrong } from "./places.js";

const idsOf = (parts: readonly { publicId: string }[]) => parts.map(({ publicId }) => publicId);

const placesOf = (parts: readonly { publicId: string }[], name: string) =>
  new Places(idsOf(parts), `the file's ${name}`, [name], "publicId");

/** Reads a validated board file. @throws BAD_REQUEST if an identifier appears twice or refers to nothing, or an open card has no list. */
export function linked(file: BoardFile): FilePlan {
  const notes = new FileNotes();
  const people = placesOf(file.people, "people");
  const lists = placesOf(file.lists, "lists");
  const labels = placesOf(file.labels, "labels");
  const merged = mergedLabels(file.labels, notes);
  placesOf(file.cards, "cards");

  const cards = file.cards.map((card, index): FileCardPlan => {
    const at = ["cards", index];
    const { publicId: _, cardNumber: __, listPublicId, labelPublicIds, memberPublicIds, comments, ...fields } = card;
    const listIndex = listPublicId === null ? null : lists.find(listPublicId, [...at, "listPublicId"]);
    if (listIndex === null && card.archivedAt === null) {
      throw wrong("An open card must be in a list", [...at, "listPublicId"]);
    }
    const labelPlaces = labels.findAll(labelPublicIds, [...at, "labelPublicIds"]);
    return {
      rowNumber: index + 1,
      ...fields,
      // In a file of an earlier version, dates at midnight UTC are days.
      dueHasTime: fields.dueHasTime ?? false,
      listIndex,
      labelIndexes: [...new Set(labelPlaces.map(merged.placeOf))],
      people: people.findAll(memberPublicIds, [...at, "memberPublicIds"]),
      comments: commentsOf(comments, [...at, "comments"]),
    };
  });
  const tags = new Map(file.tags.map((tag) => [nameKey(tag.name), tag]));
  return {
    name: file.name,
    slug: file.slug,
    visibility: file.visibility,
    tags: [...tags.values()],
    people: file.people,
    boardMembers: new Set(people.findAll(file.memberPublicIds, ["memberPublicIds"])),
    lists: file.lists.map(({ name }) => name),
    labels: merged.labels,
    cards,
    notes,
  };
}

/** Labels whose names differ only in case become one, the first; `placeOf` maps the labels of the file. */
function mergedLabels(labels: BoardFile["labels"], notes: FileNotes) {
  const names = new NameList();
  const merged: { name: string; colourCode: string }[] = [];
  const places = labels.map(({ name, colourCode }) => {
    const place = names.indexOf(name);
    if (place === merged.length) merged.push({ name, colourCode });
    else notes.add(0, "labelMerged", name);
    return place;
  });
  return { labels: merged, placeOf: (place: number) => places[place] ?? place };
}

/** Comments with the indexes of those that they reply to; a reply to a reply gets the same parent as that reply. */
function commentsOf(comments: FileCard["comments"], path: Path): CommentPlan[] {
  const places = new Places(idsOf(comments), "the comments of the card", path, "publicId");
  const plans: CommentPlan[] = [];
  for (const [index, { publicId: _, parentCommentPublicId, ...comment }] of comments.entries()) {
    const parent = parentCommentPublicId === null ? null : places.find(parentCommentPublicId, at(index));
    if (parent !== null && parent >= index) throw wrong("Must be an earlier comment", at(index));
    plans.push({ ...comment, parentIndex: parent === null ? null : (plans[parent]?.parentIndex ?? parent) });
  }
  return plans;

  function at(index: number): Path {
    return [...path, index, "parentCommentPublicId"];
  }
}
