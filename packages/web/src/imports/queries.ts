import { queryOptions } from "@tanstack/react-query";
import { type PreviewOptions, previewOf } from "./runCsv.js";

/** `id` is that of the component that shows the file: another one reads it again. */
const importKeys = {
  preview: (id: string, ...reading: unknown[]) => ["csvPreview", id, ...reading],
  trial: (id: string) => ["importTrial", id],
};

const once = { retry: false, staleTime: Number.POSITIVE_INFINITY, gcTime: 0 };

/** The first part of a table as it is read. */
export const csvPreview = (
  id: string,
  { name, bytes }: { name: string; bytes: ArrayBuffer },
  encoding: string,
  csv: string,
  options: PreviewOptions,
) =>
  queryOptions({
    queryKey: importKeys.preview(id, name, bytes.byteLength, encoding, options),
    queryFn: () => previewOf(csv, options),
    ...once,
  });

/** A trial of an import. */
export const importTrial = <Report>(id: string, call: () => Promise<Report>) =>
  queryOptions({ queryKey: importKeys.trial(id), queryFn: call, ...once });
