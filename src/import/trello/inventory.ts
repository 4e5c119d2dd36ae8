// Every field of Trello's export and what becomes of it. Fields with content that are lost are reported, and so are fields that
// this list does not contain.

import { isRecord } from "../../api/json.js";
import type { FileNotes } from "../imported.js";

/**
 * - `read`: it is in the imported board, or determines how it is made; `aside`: Trello's internal data, settings of the exporting
 * person, or a duplicate of another field; `noPlace`: it is lost, and reported.
 */
type Fates = Record<"read" | "aside" | "noPlace", string>;

const EVERYWHERE =
  "id nodeId idBoard idOrganization limits creationMethod creationMethodError creationMethodLoadingStartedAt";

const FATES = {
  board: {
    read: "name lists cards labels labelNames members checklists customFields actions",
    aside:
      "descData dateClosed idEnterprise enterpriseOwned pinned starred subscribed url shortLink shortUrl dateLastActivity dateLastView datePluginDisable ixUpdate idBoardSource idMemberCreator memberships premiumFeatures templateGallery type",
    noPlace: "desc closed prefs powerUps pluginData idTags",
  },
  lists: { read: "name closed pos", aside: "subscribed type datasource", noPlace: "softLimit color" },
  cards: {
    read: "name desc idList closed pos due dueComplete start dateCompleted dateClosed idLabels labels idMembers idChecklists checklists customFieldItems attachments address locationName",
    aside:
      "agent badges checkItemStates dateLastActivity dateViewedByCreator descData email faviconUrl idAttachmentCover idMemberCreator idShort manualCoverAttachment pinned shortLink shortUrl singleInstrumentationId sourceEmail staticMapUrl subscribed url",
    noPlace:
      "coordinates cover stickers idMembersVoted dueReminder isTemplate cardRole mirrorSourceId pluginData recurrenceRule externalSource originalDesc originalName urlSource urlSourceText",
  },
  labels: { read: "name color", aside: "uses", noPlace: "" },
  checklists: { read: "name idCard pos checkItems", aside: "", noPlace: "" },
  checkItems: { read: "name state pos", aside: "idChecklist nameData", noPlace: "due dueReminder idMember" },
  customFields: {
    read: "name type options pos",
    aside: "idModel modelType fieldGroup display isSuggestedField",
    noPlace: "",
  },
  attachments: {
    read: "name url",
    aside: "bytes date edgeColor idMember isUpload isMalicious mimeType previews pos fileName",
    noPlace: "",
  },
} satisfies Record<string, Fates>;

type Kind = keyof typeof FATES;

const words = (text: string) => text.split(" ").filter((word) => word !== "");

const FATE_OF = Object.fromEntries(
  Object.entries(FATES).map(([kind, { read, aside, noPlace }]) => [
    kind,
    { silent: new Set(words(`${read} ${aside} ${EVERYWHERE}`)), noPlace: new Set(words(noPlace)) },
  ]),
);

/** The values that count as content in fields that are never empty. */
const CONTENT: Record<string, readonly string[]> = {
  cover: ["color", "idAttachment", "idUploadedBackground", "idPlugin"],
  prefs: ["backgroundImage", "isTemplate"],
};

/** Whether a value has content: not null, false, "", an empty list, a number up to zero, or an object of only such values. */
function hasContent(value: unknown, depth = 0): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (isRecord(value)) return depth > 2 || Object.values(value).some((inner) => hasContent(inner, depth + 1));
  return typeof value === "number" ? value > 0 : Boolean(value);
}

function saysSomething(field: string, value: unknown): boolean {
  const content = CONTENT[field];
  if (content === undefined || !isRecord(value)) return hasContent(value);
  return content.some((key) => hasContent(value[key]));
}

/** Reports the lost fields of a part of the file. `rowNumber` is its card's position, 0 for the board itself. */
export function noteLost(notes: FileNotes, kind: Kind, part: Record<string, unknown>, rowNumber = 0): void {
  const { silent, noPlace } = FATE_OF[kind] ?? { silent: new Set(), noPlace: new Set() };
  for (const [field, value] of Object.entries(part)) {
    if (silent.has(field) || !saysSomething(field, value)) continue;
    const reason = noPlace.has(field) ? "noPlace" : "unknownField";
    notes.group(rowNumber, reason, kind === "board" ? field : `${kind}.${field}`);
  }
}
