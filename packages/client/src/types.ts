// Names for the types that front ends use most.

import type { inferRouterInputs, inferRouterOutputs } from "@trpc/server";
import type { AppRouter } from "../../../src/router.js";

/** The input of each operation: `RouterInputs["card"]["create"]`. */
export type RouterInputs = inferRouterInputs<AppRouter>;

/** The result of each operation: `RouterOutputs["board"]["get"]`. */
export type RouterOutputs = inferRouterOutputs<AppRouter>;

/** An event of a workspace, as lists and streams of events have it. */
export type Event = RouterOutputs["workspace"]["events"]["items"][number];

/** The type of an event, such as `card.moved`. */
export type EventType = Event["type"];

/** The kind of a type of events, which is its beginning: `checklist` for `checklist.item.created`. */
export type EventKind<Type extends EventType = EventType> = Type extends `${infer Kind}.${string}` ? Kind : never;

/** The events of a type: `EventOf<"card.moved">`. */
export type EventOf<Type extends EventType> = Extract<Event, { type: Type }>;

/** A board with its lists and cards, as `board.get` returns it. */
export type Board = RouterOutputs["board"]["get"];

/** A card with everything it has, as `card.get` returns it. */
export type Card = RouterOutputs["card"]["get"];
