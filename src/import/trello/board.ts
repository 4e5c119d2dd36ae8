// Turns Trello's export into the plan of a board. Notes refer to cards by their position in the export.

import { LENGTHS } from "../../api/shapes.js";
import { cutTo } from "../csv/rows.js";
import type { FileCardPlan, FilePlan } from "../files/filePlans.js";
import { Places } from "../files/places.js";
import { FileNotes } from "../imported.js";
import type { ChecklistPlan } from "../plans.js";
import { Histories } from "./actions.js";
import { Descriptions } from "./descriptions.js";
import type { TrelloCard, TrelloChecklist, TrelloFile } from "./file.js";
import { noteLost } from "./inventory.js";
import { TrelloLabels } from "./labels.js";
import { byPosition, fitted, instantOf, madeAt, named } from "./texts.js";

const idsOf = (parts: readonly { id: string }[]) => parts.map(({ id }) => id);

/** Reads a validated export. @throws BAD_REQUEST if an identifier appears twice, or a card has a list that the file does not contain. */
export function planTrello(file: TrelloFile): FilePlan {
  const notes = new FileNotes();
  const board = { notes, rowNumber: 0 };
  const people = file.members ?? [];
  const places = placesOf(file);
  // Archived lists come last: lists cannot be archived here, but their cards are.
  const lists = [
    ...byPosition(file.lists.filter(({ closed }) => !closed)),
    ...byPosition(file.lists.filter(({ closed }) => closed)),
  ];
  const cards = new Cards(file, places, new Map(lists.map(({ id }, index) => [id, index])), notes);
  const level = file.prefs?.permissionLevel;
  if (level === "public") notes.add(0, "visibilityLowered", level);
  for (const list of lists) {
    noteLost(notes, "lists", list);
    if (list.closed) notes.add(0, "listArchived", list.name);
  }
  noteLost(notes, "board", file);
  return {
    name: named(board, file.name, LENGTHS.name, "Untitled board"),
    visibility: level === "private" ? "private" : "workspace",
    people: people.map(({ fullName, username, email }) => ({
      name: fullName || username || email || "Somebody",
      email: email ?? null,
      username: username ?? undefined,
    })),
    boardMembers: new Set(people.keys()),
    lists: lists.map(({ name }) => named(board, name, LENGTHS.name, "Untitled list")),
    labels: cards.labels.all,
    cards: cards.plans(lists),
    notes,
  };
}

const placesOf = (file: TrelloFile) => {
  const of = (field: "lists" | "cards" | "labels" | "members" | "checklists" | "customFields") =>
    new Places(idsOf(file[field] ?? []), `the file's ${field}`, [field], "id");
  for (const field of ["labels", "checklists", "customFields"] as const) of(field);
  return { lists: of("lists"), cards: of("cards"), members: of("members") };
};

/** The cards of a board, with the parts that are elsewhere in the export. */
class Cards {
  readonly labels: TrelloLabels;
  private readonly checklists = new Map<string, TrelloChecklist[]>();
  private readonly descriptions: Descriptions;
  private readonly histories: Histories;
  private readonly importedAt = new Date().toISOString();

  constructor(
    private readonly file: TrelloFile,
    private readonly places: ReturnType<typeof placesOf>,
    private readonly listIndexes: ReadonlyMap<string, number>,
    private readonly notes: FileNotes,
  ) {
    this.labels = new TrelloLabels(file, { notes, rowNumber: 0 });
    this.descriptions = new Descriptions(file.customFields ?? [], notes);
    for (const field of file.customFields ?? []) noteLost(notes, "customFields", field);
    this.histories = new Histories(file, new Map(file.cards.map(({ id }, index) => [id, index + 1])), notes);
    for (const checklist of file.checklists ?? []) {
      const cardId = checklist.idCard ?? "";
      if (this.places.cards.at(cardId) === undefined) notes.group(0, "danglingLink", "checklists.idCard");
      const ofCard = this.checklists.get(cardId);
      if (ofCard === undefined) this.checklists.set(cardId, [checklist]);
      else ofCard.push(checklist);
    }
  }

  /** The cards in the order of their lists and within them; the archived ones of a list after its open ones. */
  plans(lists: TrelloFile["lists"]): FileCardPlan[] {
    const ofLists = new Map<string, { card: TrelloCard; pos: number; rowNumber: number }[]>(
      lists.map(({ id }) => [id, []]),
    );
    for (const [index, card] of this.file.cards.entries()) {
      this.places.lists.find(card.idList, ["cards", index, "idList"]);
      ofLists.get(card.idList)?.push({ card, pos: card.pos ?? 0, rowNumber: index + 1 });
    }
    const plans = lists.flatMap((list) =>
      byPosition(ofLists.get(list.id) ?? []).map(({ card, rowNumber }) =>
        this.plan(card, rowNumber, list.closed === true),
      ),
    );
    this.descriptions.noteUnused();
    return plans;
  }

  private plan(card: TrelloCard, rowNumber: number, isListClosed: boolean): FileCardPlan {
    const noting = { notes: this.notes, rowNumber };
    noteLost(this.notes, "cards", card, rowNumber);
    for (const attachment of card.attachments ?? []) noteLost(this.notes, "attachments", attachment, rowNumber);
    const { completedAt, closedAt } = this.histories.of(card.id);
    const labelIds = [...(card.idLabels ?? []), ...idsOf(card.labels ?? [])];
    const isDone = card.dueComplete === true;
    const isArchived = card.closed === true || isListClosed;
    return {
      rowNumber,
      ...this.texts(card, rowNumber),
      listIndex: this.listIndexes.get(card.idList) ?? null,
      labelIndexes: this.indexesOf(labelIds, this.labels, "cards.idLabels", rowNumber),
      people: this.indexesOf(card.idMembers ?? [], this.places.members, "cards.idMembers", rowNumber),
      dueDate: instantOf(noting, card.due),
      completedAt: isDone ? (instantOf(noting, card.dateCompleted) ?? completedAt ?? this.importedAt) : null,
      archivedAt: isArchived ? (instantOf(noting, card.dateClosed) ?? closedAt ?? this.importedAt) : null,
      createdAt: madeAt(card.id),
      checklists: this.checklistsOf(card, rowNumber),
      comments: this.histories.commentsOf(card.id, card.badges?.comments),
    };
  }

  /** The whole of a title that is too long is put at the start of the description, as in an import of CSV. */
  private texts(card: TrelloCard, rowNumber: number): { title: string; description: string } {
    const noting = { notes: this.notes, rowNumber };
    const whole = card.name.trim();
    const isCut = cutTo(whole, LENGTHS.title) !== whole;
    if (isCut) this.notes.add(rowNumber, "titleTruncated", whole);
    const title = isCut ? cutTo(whole, LENGTHS.title).trimEnd() : named(noting, whole, LENGTHS.title, "Untitled");
    const lines = this.descriptions.linesOf(card, rowNumber).join("\n");
    const parts = [isCut ? whole : "", card.desc ?? "", lines].filter((part) => part !== "");
    return { title, description: fitted(noting, parts.join("\n\n"), LENGTHS.description) };
  }

  /** The indexes of identifiers, each once; those that refer to nothing are reported. */
  private indexesOf(ids: readonly string[], places: Pick<Places, "at">, field: string, rowNumber: number): number[] {
    const indexes = new Set<number>();
    for (const id of ids) {
      const place = places.at(id);
      if (place === undefined) this.notes.group(rowNumber, "danglingLink", field);
      else indexes.add(place);
    }
    return [...indexes];
  }

  private checklistsOf(card: TrelloCard, rowNumber: number): ChecklistPlan[] {
    const noting = { notes: this.notes, rowNumber };
    const own = new Map(
      [...(this.checklists.get(card.id) ?? []), ...(card.checklists ?? [])].map((list) => [list.id, list]),
    );
    for (const id of card.idChecklists ?? []) {
      if (!own.has(id)) this.notes.group(rowNumber, "danglingLink", "cards.idChecklists");
    }
    return byPosition([...own.values()]).map((checklist) => {
      noteLost(this.notes, "checklists", checklist, rowNumber);
      const items = byPosition(checklist.checkItems ?? []).map((item) => {
        noteLost(this.notes, "checkItems", item, rowNumber);
        return { title: named(noting, item.name, LENGTHS.item, "Untitled"), completed: item.state === "complete" };
      });
      return { name: named(noting, checklist.name, LENGTHS.name, "Checklist"), items };
    });
  }
}
