import type { ReactNode } from "react";
import { FilterContext, useFiltering } from "./context.js";

/** Provides the filter of the shown board. */
export const WithFilter = ({ isCardOpen, children }: { isCardOpen: boolean; children: ReactNode }) => (
  <FilterContext value={useFiltering(isCardOpen)}>{children}</FilterContext>
);
