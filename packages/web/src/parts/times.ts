// Times in words, as is usual where the reader is.

import { language } from "../texts/index.js";

const { locale } = new Intl.DateTimeFormat().resolvedOptions();

/** The `lang` of elements that hold only a date: that of the browser, unless the page around them has the same language. */
export const datesLang: string | undefined = new Intl.Locale(locale).language === language ? undefined : locale;

/**
 * Writes dates as is usual where the reader is, by the one calendar that the page's weeks and months have. Browsers take milliseconds
 * to make a format, so it is made when it is first used.
 */
export function formatOf(options: Intl.DateTimeFormatOptions): (date: Date) => string {
  let format: Intl.DateTimeFormat | undefined;
  return (date) => {
    format ??= new Intl.DateTimeFormat(undefined, { calendar: "gregory", ...options });
    return format.format(date);
  };
}

export const FORMATS = {
  time: formatOf({ hour: "2-digit", minute: "2-digit" }),
  day: formatOf({ day: "numeric", month: "short" }),
  dayOfYear: formatOf({ day: "numeric", month: "short", year: "numeric" }),
  dayAndTime: formatOf({ dateStyle: "medium", timeStyle: "short" }),
};

/** The time of today, the day of this year, or the date. */
export function shortTime(at: string, now: Date): string {
  const date = new Date(at);
  if (date.toDateString() === now.toDateString()) return FORMATS.time(date);
  return (date.getFullYear() === now.getFullYear() ? FORMATS.day : FORMATS.dayOfYear)(date);
}
