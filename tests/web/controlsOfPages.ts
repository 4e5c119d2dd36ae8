// The controls of pages by role, apart from settings.

import type { Page } from "playwright-core";
import type { Shown } from "./controls.js";
import { button } from "./people.js";

const dialog = (page: Page) => page.getByRole("dialog");
const menu = (page: Page) => page.getByRole("menu");
const press = (name: string) => (page: Page) => button(page, name).click();

export const PAGES: Record<string, Shown> = {
  home: {
    address: () => "/",
    controls: `
      am  link "Import into Harbour"
      amg link "Calendar of Harbour"
      amg link "Settings of Harbour"
      amg link "Boats 1 card"
      am  button "New board in Harbour"
      amg button "New workspace"`,
  },
  "a board": {
    address: ({ board }) => `/boards/${board}`,
    controls: `
      am  button "Boats"
      amg button "Favourite"
      amg button "Filter"
      amg button "Share"
      amg button "Board menu"
      am  button "Ideas"
      am  button "Actions for Ideas"
      amg link "Paint"
      amg button "Actions for Paint"
      am  button "Add a card to Ideas"
      am  button "Done"
      am  button "Actions for Done"
      am  button "Add a card to Done"
      am  button "Add a list"`,
  },
  "the menu of a board": {
    address: ({ board }) => `/boards/${board}`,
    open: press("Board menu"),
    part: menu,
    controls: `
      am  menuitem "Labels of the board"
      amg menuitem "Archived cards…"
      amg menuitem "Print"
      amg menuitem "Settings of the board"`,
  },
  "the menu of a card on the board": {
    address: ({ board }) => `/boards/${board}`,
    open: press("Actions for Paint"),
    part: menu,
    controls: `
      amg menuitem "Open"
      am  menuitem "Rename"
      am  menuitem "Move…"
      am  menuitem "Labels…"
      am  menuitem "People…"
      am  menuitem "Due date…"
      am  menuitem "Complete"
      amg menuitem "Copy link"
      am  menuitem "Select"
      am  menuitem "Archive"
      am  menuitem "Delete"`,
  },
  "the archived cards of a board": {
    address: ({ board }) => `/boards/${board}`,
    open: async (page) => {
      await press("Board menu")(page);
      await page.getByRole("menuitem", { name: "Archived cards…" }).click();
    },
    part: dialog,
    controls: `
      amg button "Close"
      am  button "Restore Tar"
      am  button "Delete Tar"`,
  },
  "sharing a board": {
    address: ({ board }) => `/boards/${board}`,
    open: press("Share"),
    part: dialog,
    controls: `
      amg button "Close"
      a   textbox "E-mail addresses"
      a   combobox "Role of the invited"
      a   option "Member"
      a   option "Guest of this board"
      a   option "Admin"
      a   button "Invite"
      a   button "Create invite link"
      am  combobox "Who sees the board"
      m   button "Remove Ada from the board"
      amg button "Leave the board"
      a   combobox "Role of Bea"
      a   button "Remove Bea from the board"
      a   combobox "Role of Gus"
      am  button "Remove Gus from the board"
      am  combobox "Add a member of the workspace"
      amg button "Copy link to the board"
      amg button "Copy link for everybody"`,
  },
  "a card": {
    address: ({ card }) => `/cards/${card}`,
    part: dialog,
    controls: `
      am  button "Complete"
      amg button "Copy link"
      am  button "Actions for Paint"
      amg button "Close"
      amg textbox "Title"
      am  button "Edit description"
      am  button "Steps"
      am  button "Delete the checklist Steps"
      am  checkbox "Scrape"
      am  button "Actions for Scrape"
      am  button "Add item to Steps"
      am  button "Add checklist"
      g   checkbox "Scrape" [disabled]
      amg button "All" [pressed]
      amg button "Comments"
      amg button "Reply"
      a   button "Edit"
      a   button "Delete"
      amg button "Reply"
      ag  button "Edit"
      ag  button "Delete"
      amg textbox "Write a comment"
      amg button "Bold"
      amg button "List"
      amg button "Code"
      amg button "Link"
      amg button "Preview"
      amg button "Comment" [disabled]
      am  button "People"
      am  button "Labels"
      am  button "Due date"
      am  button "Priority"`,
  },
  "an archived card": {
    address: ({ gone }) => `/cards/${gone}`,
    part: dialog,
    controls: `
      amg button "Copy link"
      am  button "Actions for Tar"
      amg button "Close"
      am  button "Restore"
      amg textbox "Title"
      am  textbox "Description"
      amg button "All" [pressed]
      amg button "Comments"
      amg textbox "Write a comment"
      amg button "Bold"
      amg button "List"
      amg button "Code"
      amg button "Link"
      amg button "Preview"
      amg button "Comment" [disabled]`,
  },
  "an archived board": {
    address: ({ archived }) => `/boards/${archived}`,
    controls: `
      am  button "Hulks"
      am  button "Favourite"
      am  button "Filter"
      am  button "Share"
      am  button "Board menu"
      am  link "Restore it"
      g   link "All boards"`,
  },
  "a calendar": {
    address: ({ workspace }) => `/calendar/${workspace}?day=2026-12-01`,
    controls: `
      amg button "Previous month"
      amg button "Today"
      amg button "Next month"
      amg button "Month" [pressed]
      amg button "Week"
      am  button "New meeting"
      am  button "10:00 Stand-up"
      amg link "Paint"
      am  button "Actions for Paint"`,
  },
  notifications: {
    address: () => "/notifications",
    controls: `
      amg button "All" [pressed]
      amg button "Unread"
      amg button "Mark all as read"
      amg link "HAR-1 Paint"
      a   button "Mark as read: Gus commented"
      mg  button "Mark as read: Ada mentioned you"`,
  },
  "a search": {
    address: () => "/search?query=paint",
    controls: `
      amg combobox "Search cards, boards and actions"
      amg option "HAR-1 Paint Boats"
      am  option "New board “paint” in Harbour"`,
  },
  "an import": {
    address: ({ workspace }) => `/import/${workspace}`,
    controls: `
      am  button "Choose a file"
      g   link "All boards"`,
  },
  "an import from a provider": {
    address: () => "/integration/trello",
    controls: `
      am  link "Import into Harbour"`,
  },
  "the instance": {
    address: () => "/admin",
    controls: `
      amg link "All boards"`,
  },
  "a public board": {
    address: ({ board }) => `/public/boards/${board}`,
    controls: `
      amg link "Open as a member"
      amg link "Paint"`,
  },
};
