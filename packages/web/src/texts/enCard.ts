// The texts in English of an open card and of what is chosen for it.

import { counted } from "./counted.js";

export const card = {
  archive: "Archive",
  cancel: "Cancel",
  complete: "Complete",
  copyLink: "Copy link",
  delete: "Delete",
  deleteAsks: (title: string) => `Delete “${title}” for good, with its checklists and comments?`,
  description: "Description",
  dueDate: "Due date",
  find: "Find or make a label",
  keysHint:
    "Keys of a card need focus mode: with NVDA Insert+Space, with JAWS Insert+Z, with Orca Insert+A. Its menu has the same actions",
  labels: "Labels",
  noDate: "No date",
  open: "Open",
  people: "People",
  pickDueDate: "Due date…",
  pickLabels: "Labels…",
  pickPeople: "People…",
  priority: "Priority",
  rename: "Rename",
  reopen: "Reopen",
  save: "Save",
  youAre: (name: string) => `${name} (you)`,
  copy: "Copy",
  copyOf: (title: string) => `${title} (copy)`,
  restore: "Restore",
  isArchived: "This card is archived.",
  isMoved: (board: string) => `This card was moved to the board ${board}.`,
  isDeleted: "This card was deleted, or moved to a board that you cannot see.",
  hasLeft: "This card is no longer on this board.",
  openBoard: "Open that board",
  addDescription: "Add a description",
  editDescription: "Edit description",
  properties: "Properties",
  allProperties: "All properties",
  nobody: "Nobody",
  notShown: "This card could not be shown",
  noLabels: "None",
};

export const pickers = {
  findLabel: "Find a label",
  findPerson: "Find a person",
  makeLabel: (name: string) => `Make the label “${name}”`,
};

export const checklists = {
  add: "Add checklist",
  name: "Checklist",
  nameOf: "Name of the checklist",
  count: (completed: number, total: number) => `${completed} of ${total}`,
  hideDone: "Hide done",
  itemsOf: (name: string) => `Items of ${name}`,
  addItem: "Add item",
  to: (name: string) => `to ${name}`,
  newItemOf: (name: string) => `New item of ${name}`,
  placeholder: "What is to be done?",
  titleOf: "Title of the item",
  moveUp: "Move up",
  moveDown: "Move down",
  deleteNamed: (name: string) => `Delete the checklist ${name}`,
  deleteItemAsks: (title: string) => `Delete the item “${title}”?`,
  deleteAsks: (name: string, items: number) => `Delete the checklist “${name}” with ${counted(items, "item")}?`,
};

export const time = {
  heading: "Activity",
  show: "Show",
  all: "All",
  comments: "Comments",
  earlier: "Show earlier",
  needsConnection: "Checklists, comments and activity need a connection.",
  waits: "waits to be sent",
  write: "Write a comment",
  comment: "Comment",
  sent: "Comment sent",
  commentBy: (name: string) => `Comment by ${name}`,
  you: "You",
  thisCard: "this card",
  edited: "edited",
  edit: "Edit",
  editLabel: "Edit the comment",
  reply: "Reply",
  writeReply: "Write a reply",
  deleteAsks: "Delete this comment for good?",
  people: "People",
};

export const formatting = {
  heading: "Formatting",
  names: { bold: "Bold", list: "List", code: "Code", link: "Link" },
};

export const drafts = {
  unsent: "This text was not sent. Copy it if you need it.",
  discard: "Discard",
};

export const conflict = {
  meanwhile: "Somebody else changed the description meanwhile. When you save, you choose which version to keep.",
  text: "Somebody else changed the description while you edited it. Which version do you want to keep?",
  theirs: "Theirs",
  mine: "Mine",
  takeTheirs: "Keep theirs",
  takeMine: "Keep mine",
  editMine: "Edit mine",
};
