// The shapes of a replay: what is kept of a board, and what events hold.

export interface Named {
  publicId: string;
  name: string;
  colourCode: string;
}

export interface Person {
  publicId: string;
  name: string;
  image: string | null;
}

export interface BoardPerson extends Person {
  role: string;
  status: string;
}

export interface ItemState {
  publicId: string;
  title: string;
  completed: boolean;
}

export interface ChecklistState {
  publicId: string;
  name: string;
  items: ItemState[];
}

/** What `GET /cards/{cardPublicId}` shows of a card and its board does not. */
export interface CardDetails {
  archivedAt: string | null;
  createdAt: string;
  updatedAt: string;
  /** Of an archived card the list that it goes back to. */
  listPublicId: string | null;
  checklists: ChecklistState[];
}

interface CardFields {
  publicId: string;
  title: string;
  description: string;
  cardNumber: number;
  dueDate: string | null;
  completedAt: string | null;
  priority: string;
  checklistItems: { total: number; completed: number };
  commentCount: number;
}

export interface CardState extends CardFields {
  labelPublicIds: string[];
  members: Person[];
  /** Null where nothing but the board was read. */
  details: CardDetails | null;
}

export interface BoardState {
  publicId: string;
  name: string;
  slug: string;
  visibility: string;
  isArchived: boolean;
  tags: Named[];
  labels: Named[];
  members: BoardPerson[];
  /** In order, each with its open cards in order. */
  lists: { publicId: string; name: string; cardPublicIds: string[] }[];
  /** The cards that are known; archived ones too, where they were read. */
  cards: Record<string, CardState>;
}

/** A card as `GET /cards/{cardPublicId}` and events show it, as far as it counts here. */
export interface LoggedCard extends CardFields {
  index: number | null;
  labels: Named[];
  members: Person[];
  archivedAt: string | null;
  createdAt: string;
  updatedAt: string;
  list: { publicId: string; name: string } | null;
  checklists: ChecklistState[];
}

/** A board as events hold it. */
export interface LoggedBoard extends Omit<BoardState, "lists" | "cards"> {
  lists: { publicId: string; name: string; index: number }[];
}

/** A comment as events and lists show it, as far as it counts here. */
export interface LoggedComment {
  publicId: string;
  comment: string;
  author: { publicId: string };
  parentCommentPublicId: string | null;
  importedFrom: { name: string; createdAt: string } | null;
  createdAt: string;
  editedAt: string | null;
}

export interface Place {
  listPublicId?: string;
  index: number;
}

export interface Change {
  from: unknown;
  to: unknown;
}

/** What `data` of events may hold. */
export interface EventData {
  board?: LoggedBoard;
  card?: LoggedCard;
  list?: { publicId: string; name: string; index: number };
  label?: Named;
  checklist?: ChecklistState;
  checklistItems?: { total: number; completed: number };
  item?: ItemState;
  comment?: LoggedComment;
  member?: BoardPerson;
  changes?: Record<string, Change>;
  from?: unknown;
  to?: unknown;
  cardPublicId?: string;
  listPublicId?: string;
  labelPublicId?: string;
  tagPublicId?: string;
  memberPublicId?: string;
  checklistPublicId?: string;
  itemPublicId?: string;
  commentPublicId?: string;
  name?: string;
  colourCode?: string;
  completed?: boolean;
  editedAt?: string;
}

/** An event as lists and streams give it, as far as it counts here. */
export interface ReplayedEvent {
  id: number;
  type: string;
  createdAt: string;
  boardPublicId: string | null;
  cardPublicId: string | null;
  redacted: boolean;
  data: EventData;
}
