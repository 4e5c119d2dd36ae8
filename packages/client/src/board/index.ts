// `work-board-client/board`: a live copy of a board, made of a snapshot and the events after it, with the caller's own changes.

export { applyEvent } from "./applyEvent.js";
export type { CardParts, PartEvent } from "./cardParts.js";
export type { ChangePath, InputOf, OutputOf } from "./changePaths.js";
export { type FollowedBoard, type FollowOptions, followBoard } from "./follow.js";
export type { FollowedState } from "./followedState.js";
export { indexedDb } from "./indexedDb.js";
export type { Notification } from "./notificationStreams.js";
export { followNotifications, type NotificationFollower } from "./notifications.js";
export type { AssignedPerson } from "./optimisticEvents.js";
export { CHANGES_MAX, type ChangeOptions, type Refused } from "./queue.js";
export { type BoardState, boardState, type CardDetails, type CardState, type ListState } from "./state.js";
export type { BoardStorage } from "./storedQueue.js";
