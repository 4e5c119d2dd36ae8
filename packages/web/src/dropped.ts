/** Keeps a file that is dropped beside a field for files from replacing the page. */
export function keepPageFromFiles(): void {
  const refuse = (event: DragEvent) => {
    if (event.dataTransfer?.types.includes("Files") !== true) return;
    if (event.target instanceof HTMLInputElement && event.target.type === "file") return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "none";
  };
  addEventListener("dragover", refuse);
  addEventListener("drop", refuse);
}
