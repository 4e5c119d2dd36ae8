// The plan of a board from any kind of file, and its mapping to a workspace: people are matched there, and those without a match or
// without access to the board are left out and reported.

import { seesBoard, type Visibility } from "../../access/boardVisibility.js";
import type { WorkspaceAccess } from "../../access/guards.js";
import type { Signed } from "../../api/context.js";
import { badRequest } from "../../api/errors.js";
import { FILE_LIMITS } from "../../board/file.js";
import { partLimits } from "../../card/model/ownParts.js";
import { FileNotes } from "../imported.js";
import type { Planned } from "../importing.js";
import { type Directory, directoryOf, type Somebody } from "../matchedPeople.js";
import { type BoardPlan, type CardPlan, sum } from "../plans.js";

/** A person in a file. */
interface FilePerson {
  name: string;
  email: string | null;
  /** Another name by which to match the person. */
  username?: string | undefined;
}

/** A card whose assignees are indexes in the file's people; `rowNumber` is its position in the file, from 1. */
export type FileCardPlan = Omit<CardPlan, "memberIds"> & { people: readonly number[]; rowNumber: number };

/** A board whose people are not matched yet. */
export interface FilePlan extends Omit<BoardPlan, "cards" | "memberIds" | "visibility"> {
  visibility: Visibility;
  people: readonly FilePerson[];
  /** Indexes in `people` of the members of the board. */
  boardMembers: ReadonlySet<number>;
  cards: readonly FileCardPlan[];
  /** The notes so far. */
  notes: FileNotes;
}

/** Refuses a board that exceeds the limits of one import. */
export function mustBeWithinLimits({ cards }: FilePlan): void {
  const limits = [
    {
      count: sum(cards, ({ labelIndexes }) => labelIndexes.length),
      max: FILE_LIMITS.labelled,
      what: "labels on cards",
    },
    { count: sum(cards, ({ people }) => people.length), max: FILE_LIMITS.assigned, what: "assignees on cards" },
    ...partLimits(cards),
    { count: sum(cards, ({ comments = [] }) => comments.length), max: FILE_LIMITS.comments, what: "comments" },
  ];
  for (const { count, max, what } of limits)
    if (count > max) throw badRequest(`An import can have at most ${max} ${what}`, "board");
}

/** The member who matches a person of a file. */
export type FindPerson = (directory: Directory, person: FilePerson) => Somebody | null;

/** The board as it is written to a workspace, and the notes of the response. */
export async function inWorkspace(ctx: Signed, workspace: WorkspaceAccess, file: FilePlan, find: FindPerson) {
  const notes = new FileNotes(file.notes);
  const visibility = file.visibility === "public" && workspace.role !== "admin" ? "workspace" : file.visibility;
  if (visibility !== file.visibility) notes.add(0, "visibilityLowered", file.visibility);

  const directory = await directoryOf(ctx, workspace);
  const matches = file.people.map((person) => find(directory, person));
  const importer = workspace.memberId;
  const seeing = matches.map((person, index) => {
    const isBoardMember = file.boardMembers.has(index) || person?.memberId === importer;
    return person !== null && seesBoard(person.role, visibility, isBoardMember) ? person.memberId : null;
  });
  const unmatched = new Set<string>();
  const warned = new Set<number>();
  const memberIds = (places: Iterable<number>, rowNumber: number) => {
    const ids = new Set<number>();
    for (const place of places) {
      const memberId = seeing[place] ?? null;
      if (memberId !== null) ids.add(memberId);
      else if (!warned.has(place)) {
        const { name = "", email = null } = file.people[place] ?? {};
        notes.add(rowNumber, "personUnmatched", email ?? name);
        if (rowNumber > 0) unmatched.add(email ?? name);
        warned.add(place);
      }
    }
    return [...ids];
  };
  const { people: _, boardMembers, cards, notes: __, ...board } = file;
  const plan: BoardPlan = {
    ...board,
    visibility,
    cards: cards.map(({ people, rowNumber, ...card }) => ({ ...card, memberIds: memberIds(people, rowNumber) })),
    memberIds: [],
  };
  return {
    plans: [{ ...plan, memberIds: memberIds(boardMembers, 0) }],
    report: { unmatchedAssignees: [...unmatched], skippedRows: [], warnings: notes.notes },
  } satisfies Planned<object>;
}
