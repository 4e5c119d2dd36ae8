// The content of the demo: four people who make Tidewater, an app of tide tables for sailors and bathers.

export type Who = "mara" | "jonas" | "ines" | "tomoko";

export interface DemoCard {
  title: string;
  by: Who;
  description?: string;
  labels?: string[];
  people?: Who[];
  /** Days from today; the past is allowed. */
  due?: number;
  priority?: "low" | "medium" | "high" | "urgent";
  isDone?: true;
  isArchived?: true;
  /** A name, then its items; those that are done begin with `x `. */
  checklist?: [string, ...string[]];
  comments?: [Who, string][];
}

export interface DemoBoard {
  name: string;
  visibility: "workspace" | "private";
  labels: Record<string, string>;
  lists: Record<string, DemoCard[]>;
}

/** Nobody's real address: the domain is kept free for examples. */
export const PEOPLE: Record<Who, { name: string; email: string }> = {
  mara: { name: "Mara Lindqvist", email: "mara@tidewater.example" },
  jonas: { name: "Jonas Petersen", email: "jonas@tidewater.example" },
  ines: { name: "Inês Duarte", email: "ines@tidewater.example" },
  tomoko: { name: "Tomoko Sato", email: "tomoko@tidewater.example" },
};
export const PASSWORD = "high water at noon";

export const WORKSPACE = {
  name: "Tidewater",
  description: "Tide tables that people trust, on every coast we can reach.",
  cardPrefix: "TIDE",
};

export const MEETING = {
  title: "Monday tide",
  description: "What came in, what went out, what is stuck on the sand.",
  callLink: "https://meet.tidewater.example/monday",
  recurrence: "weekly",
} as const;

const app: DemoBoard = {
  name: "The app",
  visibility: "workspace",
  labels: { Bug: "#d73a49", Design: "#8250df", Data: "#0969da", Offline: "#1a7f37" },
  lists: {
    Ideas: [
      { title: "Show the moon beside the tide", by: "tomoko", labels: ["Design"], priority: "low" },
      {
        title: "Warn when a beach is cut off by the rising tide",
        by: "ines",
        labels: ["Data"],
        description:
          "Lifeguards at three bays asked for this. We need the height at which each path floods; they offered to measure it with us.",
        comments: [
          ["mara", "This could be the reason people recommend us. Who could ask the coastguard for their list?"],
        ],
      },
      { title: "A widget for the lock screen", by: "jonas", priority: "low" },
    ],
    Next: [
      {
        title: "Tables for a whole year, without a network",
        by: "mara",
        labels: ["Offline", "Data"],
        people: ["jonas"],
        due: 16,
        priority: "high",
        description: "A year of one harbour is 1 411 extremes. Packed as differences that is under 6 KB.",
        checklist: [
          "Before we start",
          "x Measure the size for the ten largest harbours",
          "Agree on the format",
          "Decide what happens at New Year",
        ],
      },
      { title: "Let people name their own spots", by: "tomoko", labels: ["Design"], due: 21 },
      { title: "Units: feet, metres, and the local habit", by: "ines", priority: "medium", due: 12 },
    ],
    "In progress": [
      {
        title: "Heights are an hour late after the clocks change",
        by: "ines",
        labels: ["Bug", "Data"],
        people: ["ines", "jonas"],
        due: 2,
        priority: "urgent",
        description:
          "Lisbon and Cork, since Sunday. The prediction is right; what we print beside it is not.\n\n1. Open **Cascais** on the day of the change\n2. Compare with the harbour master's table\n3. Every time after 02:00 is 60 minutes late",
        checklist: [
          "Fix",
          "x Reproduce it in a test",
          "x Keep instants, and print them in the harbour's zone",
          "Check every zone with a change this year",
          "Tell the people who wrote to us",
        ],
        comments: [
          ["jonas", "It is in the printing. We add the offset of *today* to times of last week."],
          ["ines", "Then the fix is small and the test is large. I take the test."],
          ["mara", "Please write to Rui at the sailing school first, he found it."],
        ],
      },
      {
        title: "Draw the curve so that it can be read in the sun",
        by: "tomoko",
        labels: ["Design"],
        people: ["tomoko"],
        due: 5,
        priority: "high",
        checklist: [
          "On a real beach",
          "x Black on white",
          "x Thicker line for today",
          "With wet fingers",
          "With sunglasses",
        ],
        comments: [["jonas", "Tried it on the pier at noon: the grid can go entirely."]],
      },
    ],
    Review: [
      {
        title: "Search finds harbours by their old names",
        by: "jonas",
        labels: ["Data"],
        people: ["jonas", "mara"],
        due: 1,
        priority: "medium",
        comments: [["mara", "Queenstown finds Cobh. Lovely. Could it also say why?"]],
      },
    ],
    Done: [
      { title: "Predictions for the Azores", by: "ines", labels: ["Data"], people: ["ines"], due: -3, isDone: true },
      { title: "The map opens where you are", by: "tomoko", labels: ["Design"], due: -6, isDone: true },
      { title: "Old map tiles", by: "jonas", isDone: true, isArchived: true },
      {
        title: "Ask everybody to sign in",
        by: "mara",
        isArchived: true,
        comments: [["tomoko", "I am glad we did not."]],
      },
    ],
  },
};

const spring: DemoBoard = {
  name: "Spring launch",
  visibility: "workspace",
  labels: { Press: "#bf8700", Shops: "#1f6feb", Harbours: "#0e8a8a" },
  lists: {
    "To plan": [
      {
        title: "A printed table for harbour cafés",
        by: "tomoko",
        labels: ["Harbours"],
        due: 30,
        description: "One card, two sides, waterproof. The café's name goes on top.",
      },
      { title: "Talk at the boat show", by: "mara", labels: ["Press"], due: 40 },
    ],
    "Under way": [
      {
        title: "Pictures for the shops",
        by: "tomoko",
        labels: ["Shops"],
        people: ["tomoko", "ines"],
        due: 9,
        priority: "high",
        checklist: [
          "Pictures",
          "x The curve",
          "x The map at dusk",
          "A week at a glance",
          "Offline, with the aeroplane sign",
        ],
      },
      {
        title: "Write to forty harbour masters",
        by: "ines",
        labels: ["Harbours"],
        people: ["ines"],
        due: 7,
        checklist: ["By coast", "x Portugal", "x Galicia", "Brittany", "Cornwall", "Munster"],
      },
      {
        title: "A page for the press",
        by: "mara",
        labels: ["Press"],
        people: ["mara"],
        due: 4,
        priority: "medium",
        comments: [["ines", "The photo with the dog, please."]],
      },
    ],
    Done: [
      {
        title: "Choose the day: first spring tide in March",
        by: "mara",
        isDone: true,
        due: -8,
        comments: [["jonas", "The moon agrees."]],
      },
    ],
  },
};

const people: DemoBoard = {
  name: "Hiring",
  visibility: "private",
  labels: { Engineer: "#6f42c1", Support: "#2da44e" },
  lists: {
    Open: [
      {
        title: "Someone who answers letters from sailors",
        by: "mara",
        labels: ["Support"],
        priority: "high",
        due: 14,
        description: "Half a week. Patience matters more than seamanship, but some seamanship helps.",
      },
      { title: "An engineer for the forecasts", by: "mara", labels: ["Engineer"], people: ["jonas"], due: 25 },
    ],
    Talking: [
      {
        title: "Second talk with the oceanographer from Brest",
        by: "jonas",
        labels: ["Engineer"],
        people: ["jonas", "mara"],
        due: 3,
        priority: "medium",
      },
    ],
    Decided: [{ title: "Tomoko joins!", by: "mara", isDone: true, due: -60 }],
  },
};

export const BOARDS: readonly DemoBoard[] = [app, spring, people];
