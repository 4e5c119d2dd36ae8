// `work-board-client/board`: a live copy of a board, made of a snapshot and the events after it.

export { applyEvent } from "./applyEvent.js";
export { type BoardState, boardState, type CardDetails, type CardState, type ListState } from "./state.js";
