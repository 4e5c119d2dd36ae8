// The controls of settings by role.

import type { Page } from "playwright-core";
import type { Shown } from "./controls.js";

const sections = (page: Page) => page.getByRole("navigation", { name: "Settings" });
/** A section, or what stands in its place. */
const content = (page: Page) => page.locator("main .page, main .empty");

export const SETTINGS: Record<string, Shown> = {
  "the general settings of a workspace": {
    address: ({ workspace }) => `/settings/workspaces/${workspace}/general`,
    part: content,
    controls: `
      a   textbox "Name"
      a   textbox "Description"
      a   textbox "Slug"
      a   textbox "Prefix of card numbers"
      a   combobox "Weeks begin on"
      a   option "Monday"
      a   option "Tuesday"
      a   option "Wednesday"
      a   option "Thursday"
      a   option "Friday"
      a   option "Saturday"
      a   option "Sunday"
      a   checkbox "Members see the e-mail addresses of others" [checked]
      a   button "Save"
      a   button "Delete workspace"
      mg  link "All boards"`,
  },
  "the people of a workspace": {
    address: ({ workspace }) => `/settings/workspaces/${workspace}/members`,
    part: content,
    controls: `
      a   textbox "E-mail addresses"
      a   combobox "Role of the invited"
      a   option "Member"
      a   option "Guest"
      a   option "Admin"
      a   button "Invite"
      a   button "Create invite link"
      amg button "Leave the workspace"
      a   combobox "Role of Bea"
      a   button "Remove Bea"
      a   combobox "Role of Gus"
      a   button "Remove Gus"
      a   combobox "Role of Ina"
      a   button "Remove Ina"`,
  },
  "the tags of a workspace": {
    address: ({ workspace }) => `/settings/workspaces/${workspace}/tags`,
    part: content,
    controls: `
      am  textbox "Name of Fleet"
      am  combobox "Colour of Fleet"
      am  button "Delete Fleet"
      am  textbox "Name of the new one"
      am  button "Add"
      g   link "All boards"`,
  },
  "the webhooks of a workspace": {
    address: ({ workspace }) => `/settings/workspaces/${workspace}/webhooks`,
    part: content,
    controls: `
      a   link "Bell http://127.0.0.1:9/"
      a   textbox "Name"
      a   textbox "URL"
      a   checkbox "Everything" [checked]
      a   button "Create webhook"
      mg  link "All boards"`,
  },
  "a webhook": {
    address: ({ workspace, webhook }) => `/settings/workspaces/${workspace}/webhooks/${webhook}`,
    part: content,
    controls: `
      a   link "All webhooks"
      a   button "Pause"
      a   button "Send a test"
      a   button "New secret"
      a   button "Delete webhook"
      a   textbox "Name"
      a   textbox "URL"
      a   checkbox "Everything"
      a   checkbox "Cards" [checked]
      a   checkbox "Comments"
      a   checkbox "Checklists"
      a   checkbox "Lists"
      a   checkbox "Labels"
      a   checkbox "Boards"
      a   checkbox "Tags"
      a   checkbox "Members"
      a   checkbox "Invitations"
      a   checkbox "Meetings"
      a   checkbox "Webhooks"
      a   checkbox "Workspace"
      a   button "Save"
      mg  link "All boards"`,
  },
  "the archived boards of a workspace": {
    address: ({ workspace }) => `/settings/workspaces/${workspace}/archive`,
    part: content,
    controls: `
      am  link "Hulks"
      am  button "Restore Hulks"
      g   link "All boards"`,
  },
  "the general settings of a board": {
    address: ({ board }) => `/settings/boards/${board}/general`,
    part: content,
    controls: `
      am  link "Back to the board"
      am  textbox "Name of the board"
      am  textbox "Slug"
      am  button "Save"
      am  checkbox "Fleet"
      g   link "All boards"`,
  },
  "the people of a board": {
    address: ({ board }) => `/settings/boards/${board}/members`,
    part: content,
    controls: `
      amg link "Back to the board"
      am  combobox "Who sees the board"
      amg button "Copy link for everybody"
      m   button "Remove Ada from the board"
      amg button "Leave the board"
      a   combobox "Role of Bea"
      a   button "Remove Bea from the board"
      a   combobox "Role of Gus"
      am  button "Remove Gus from the board"
      am  combobox "Add a member of the workspace"`,
  },
  "the labels of a board": {
    address: ({ board }) => `/settings/boards/${board}/labels`,
    part: content,
    controls: `
      am  link "Back to the board"
      am  textbox "Name of Sea"
      am  combobox "Colour of Sea"
      am  button "Delete Sea"
      am  textbox "Name of the new one"
      am  button "Add"
      g   link "All boards"`,
  },
  "the export of a board": {
    address: ({ board }) => `/settings/boards/${board}/export`,
    part: content,
    controls: `
      amg link "Back to the board"
      amg link "Download JSON"
      amg link "Download CSV"`,
  },
  "archiving a board": {
    address: ({ board }) => `/settings/boards/${board}/archive`,
    part: content,
    controls: `
      am  link "Back to the board"
      am  button "Archive board"
      a   button "Delete board"
      g   link "All boards"`,
  },
  "the general settings of an archived board": {
    address: ({ archived }) => `/settings/boards/${archived}/general`,
    part: content,
    controls: `
      am  link "Back to the board"
      am  checkbox "Fleet"
      g   link "All boards"`,
  },
  "restoring an archived board": {
    address: ({ archived }) => `/settings/boards/${archived}/archive`,
    part: content,
    controls: `
      am  link "Back to the board"
      am  button "Restore board"
      a   button "Delete board"
      g   link "All boards"`,
  },
  "the profile of an account": {
    address: () => "/settings/account/profile",
    part: content,
    controls: `
      amg textbox "Name"
      amg textbox "Picture"
      amg button "Save"`,
  },
  "the security of an account": {
    address: () => "/settings/account/security",
    part: content,
    controls: `
      amg textbox "Current password"
      amg textbox "New password"
      amg button "Change the password"`,
  },
  "the settings of this browser": {
    address: () => "/settings/account/browser",
    part: content,
    controls: `
      amg radio "Light"
      amg radio "Dark"
      amg radio "As the system" [checked]
      amg checkbox "Keys without Ctrl act anywhere Switch them off if you dictate, or if they get in your way. On a board, the keys of a card still act on the one that has the focus." [checked]`,
  },
  "the tokens of an account": {
    address: () => "/settings/account/tokens",
    part: content,
    controls: `
      amg textbox "Name"
      amg combobox "May"
      amg option "Read only"
      amg option "Read and change"
      amg combobox "Workspace"
      amg option "Every workspace"
      amg option "Harbour"
      amg combobox "Ends"
      amg option "In 30 days"
      amg option "In 90 days"
      amg option "In 365 days"
      amg option "Never"
      amg button "Make the token"`,
  },
  "the data of an account": {
    address: () => "/settings/account/data",
    part: content,
    controls: `
      amg link "Download"
      amg textbox "Current password"
      amg button "Close the account"`,
  },
  "the sections of the settings of a workspace": {
    address: ({ workspace }) => `/settings/workspaces/${workspace}`,
    part: sections,
    controls: `
      a   link "General"
      amg link "Members"
      am  link "Tags"
      a   link "Webhooks"
      am  link "Archived boards"`,
  },
  "the sections of the settings of a board": {
    address: ({ board }) => `/settings/boards/${board}`,
    part: sections,
    controls: `
      am  link "General"
      amg link "People"
      am  link "Labels"
      amg link "Export"
      am  link "Archive and delete"`,
  },
  "the sections of an account": {
    address: () => "/settings/account",
    part: sections,
    controls: `
      amg link "Profile"
      amg link "Security"
      amg link "Reminders and mail"
      amg link "This browser"
      amg link "Tokens"
      amg link "Your data"`,
  },
};
