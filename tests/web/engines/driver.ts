// One page in one browser, as far as the daily path needs it: another engine is another one of these.

/** A point of the page, in pixels. */
export interface Point {
  x: number;
  y: number;
}

export interface Driver {
  /** Loads an address. */
  open(url: string): Promise<void>;
  /** The value of an expression in the page, which is JSON. */
  evaluate(expression: string): Promise<unknown>;
  /** Presses keys together, by their names in the DOM: "Control+Enter". */
  press(keys: string): Promise<void>;
  type(text: string): Promise<void>;
  /** Moves the mouse in a few steps. */
  moveTo(point: Point): Promise<void>;
  mouseDown(): Promise<void>;
  mouseUp(): Promise<void>;
}
