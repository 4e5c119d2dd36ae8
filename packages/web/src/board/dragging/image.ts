// The image at the pointer: a copy of the card, or of the head of the list, that is dragged.

import * as styles from "./Dragging.module.css";
import type { Point } from "./presses.js";

export interface Image {
  moveTo(point: Point): void;
  /** Shows how many cards are dragged. */
  showCount(count: number): void;
  /** Says where it would land. */
  caption(text: string): void;
  /** Lets it glide to the element that is found, and removes it. */
  glideTo(find: () => Element | null): void;
}

const LANDING = { duration: 150, easing: "cubic-bezier(0.2, 0, 0, 1)" };

/**
 * Shows a copy of an element, gripped at a point. The copy takes the wheel from the list below it: `scroll` is called with how far the
 * list is to scroll, in CSS pixels.
 */
export function imageOf(element: HTMLElement, grip: Point, scroll: (x: number, y: number) => void): Image {
  const { left, top, width } = element.getBoundingClientRect();
  const image = document.createElement("div");
  image.className = `${styles.drag}`;
  image.ariaHidden = "true";
  image.style.width = `${width}px`;
  const copy = element.cloneNode(true) as HTMLElement;
  copy.inert = true;
  const caption = document.createElement("span");
  caption.className = "tooltip";
  image.append(copy, caption);
  let place = { x: left, y: top };
  const moveTo = (point: Point) => {
    place = { x: left + point.x - grip.x, y: top + point.y - grip.y };
    image.style.translate = `${place.x}px ${place.y}px`;
  };
  moveTo(grip);
  image.addEventListener("wheel", ({ deltaX, deltaY }) => scroll(deltaX, deltaY), { passive: true });
  document.body.append(image);
  return {
    moveTo,
    showCount(count) {
      const badge = document.createElement("span");
      badge.className = "count unread";
      badge.textContent = String(count);
      image.append(badge);
      image.classList.add(`${styles.isStack}`);
    },
    caption(text) {
      if (caption.textContent !== text) caption.textContent = text;
    },
    glideTo(find) {
      caption.remove();
      image.inert = true;
      // The card or list is rendered in its new place before the next frame.
      requestAnimationFrame(() => {
        const target = find()?.getBoundingClientRect();
        if (target === undefined || matchMedia("(prefers-reduced-motion: reduce)").matches) {
          image.remove();
          return;
        }
        copy.classList.add(`${styles.isLanding}`);
        const glide = image.animate({ translate: `${target.left}px ${target.top}px` }, LANDING);
        glide.onfinish = () => image.remove();
      });
    },
  };
}
