// Guarantees of what the preview guesses of a CSV file: whether it has a header, and what its columns hold.

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { CSV_COLUMNS } from "../../src/board/csvFile.js";
import { suggestMapping } from "../../src/import/csv/columns.js";
import { synonymsOf } from "../../src/import/csv/synonyms.js";
import { previewCsv } from "../../src/import/csv/text.js";

const backlog = readFileSync(new URL("../../examples/backlog.csv", import.meta.url), "utf8");

describe("the header", () => {
  test.each([
    ["known names", "Name,Status\nBuy milk,Open\n"],
    ["known names in another language", "Titel;Fällig\nBuy milk;2027-01-01\n"],
    ["a known name, though it stands below again", "Task,Kind\nTask,Kind\n"],
    ["words over numbers", "Alpha,Beta\nx,1\ny,2\n"],
    ["words over dates", "Alpha,Beta\nx,2027-01-01\ny,\n"],
    ["words of which nothing is known", "Alpha,Beta\nx,y\n"],
    ["more known names than numbers", "Title,Status,2027\nx,y,z\n"],
  ])("is found by %s", (_, csv) => {
    const lines = csv.trim().split("\n");
    const { header, rowCount } = previewCsv(csv, { limit: 10 });
    expect([header.length > 0, rowCount]).toEqual([true, lines.length - 1]);
  });

  test.each([
    ["a date", "Buy milk,2027-01-01\nSleep,2027-01-02\n", { title: 0, dueDate: 1 }],
    ["an ambiguous date", "Buy milk,01/02/2027\nSleep,\n", { title: 0, dueDate: 1 }],
    ["a number", "1,Buy milk\n2,Sleep\n", { title: 1 }],
    ["an address", "Buy milk,ada@example.org\nSleep,\n", { title: 0 }],
    ["a link", "https://example.org/1,Buy milk\n", { title: 1 }],
    ["a value that stands below again", "Buy milk,Open\nSleep,Open\n", { title: 0 }],
    ["a word for being done", "Buy milk,Done\nSleep,Done\n", { title: 0 }],
    ["a date beside a word that could be a name", "Buy milk,Story,2027-01-01\nSleep,Bug,\n", { title: 0, dueDate: 2 }],
  ])("is not taken from a row with %s", (_, csv, suggestedMapping) => {
    const { header, rows, rowCount, ...found } = previewCsv(csv, { limit: 10 });
    expect(header).toEqual([]);
    expect([rows.length, rowCount]).toEqual(Array(2).fill(csv.trim().split("\n").length));
    expect(found.suggestedMapping).toEqual(suggestedMapping);
  });

  test("is there or not as the caller says", () => {
    expect(previewCsv("Title\nA\n", { hasHeader: false, limit: 10 })).toMatchObject({
      header: [],
      rows: [["Title"], ["A"]],
      rowCount: 2,
    });
    expect(previewCsv("1,2\n3,4\n", { hasHeader: true, limit: 10 })).toMatchObject({
      header: ["1", "2"],
      rows: [["3", "4"]],
      rowCount: 1,
    });
  });

  test.each([true, false, undefined])("and all pages together are the file (header: %s)", (hasHeader) => {
    const whole = previewCsv(backlog, { hasHeader, limit: 2000 });
    const pages = [0, 700, 1400, 2100].map((offset) => previewCsv(backlog, { hasHeader, offset, limit: 700 }));
    const expected = hasHeader === false ? 2001 : 2000;
    expect(pages.map(({ rows }) => rows.length)).toEqual([700, 700, expected - 1400, 0]);
    expect(pages.flatMap(({ rows }) => rows).slice(0, 2000)).toEqual(whole.rows);
    for (const page of pages) expect({ ...page, rows: [] }).toEqual({ ...whole, rows: [] });
  });
});

describe("columns are guessed", () => {
  const keys: string[] = [...CSV_COLUMNS];

  // The right side names the columns for the keys in their order, a dash for none.
  test.each([
    ["our own export", keys.join(), keys.join()],
    [
      "Trello",
      "Card ID,Card Name,Card URL,Card Description,Labels,Members,Due Date,Checklist Item Total Count,List ID,List Name,Board ID,Board Name",
      "Card Name,Card Description,List Name,Labels,Due Date,Members,-,-,Board Name",
    ],
    [
      "Jira",
      "Summary,Issue key,Issue id,Issue Type,Status,Project key,Project name,Assignee,Due date,Description,Labels",
      "Summary,Description,Status,Labels,Due date,Assignee,-,-,Project name",
    ],
    [
      "Asana",
      "Task ID,Created At,Name,Section/Column,Assignee,Assignee Email,Start Date,Due Date,Tags,Notes,Projects,Parent task",
      "Name,Notes,Section/Column,Tags,Due Date,Assignee,-,-,Projects",
    ],
    [
      "Linear",
      "ID,Team,Title,Description,Status,Estimate,Priority,Project ID,Project,Creator,Assignee,Labels,Due Date",
      "Title,Description,Status,Labels,Due Date,Assignee,-,-,Project,Priority",
    ],
    ["GitHub", "number,Title,URL,Assignees,State,Labels,Body", "Title,Body,State,Labels,-,Assignees"],
    [
      "Planner",
      "Task ID,Task Name,Bucket Name,Progress,Assigned To,Due Date,Checklist Items,Labels,Description",
      "Task Name,Description,Bucket Name,Labels,Due Date,Assigned To,Checklist Items,-,-,-,Progress",
    ],
    ["Notion", "Name,Assign,Date,Status,Tags", "Name,-,Status,Tags,Date,Assign"],
    [
      "case, accents and punctuation",
      "TASK_NAME,Détails,COLUMN,tag,dead-line,Owner,Sub-tasks,checklist-name,dueDate",
      "TASK_NAME,Détails,COLUMN,tag,dueDate,Owner,Sub-tasks,checklist-name",
    ],
    ["the backlog", backlog.slice(0, backlog.indexOf("\r")), "Title,Description,List,Labels,Due date,-,Checklist"],
    [
      "Planka",
      "Card name,Description,List,Labels,Members,Due date,Tasks",
      "Card name,Description,List,Labels,Due date,Members",
    ],
    [
      "German",
      "Aufgabenname,Bucketname,Status,Zugewiesen zu,Fälligkeitsdatum,Prüflistenelemente,Beschriftungen,Beschreibung",
      "Aufgabenname,Beschreibung,Bucketname,Beschriftungen,Fälligkeitsdatum,Zugewiesen zu,Prüflistenelemente",
    ],
    [
      "French",
      "Résumé,Clé,État,Responsable,Date d'échéance,Étiquettes,Description,Projet",
      "Résumé,Description,État,Étiquettes,Date d'échéance,Responsable,-,-,Projet",
    ],
    [
      "Spanish",
      "Título,Descripción,Lista,Etiquetas,Fecha de vencimiento,Asignado a,Lista de comprobación,Tablero",
      "Título,Descripción,Lista,Etiquetas,Fecha de vencimiento,Asignado a,Lista de comprobación,-,Tablero",
    ],
    [
      "Portuguese",
      "Nome da tarefa,Descrição,Coluna,Etiquetas,Data de entrega,Responsável,Subtarefas,Projeto",
      "Nome da tarefa,Descrição,Coluna,Etiquetas,Data de entrega,Responsável,Subtarefas,-,Projeto",
    ],
    [
      "Italian",
      "Titolo,Descrizione,Stato,Etichette,Scadenza,Assegnatario,Sottoattività,Progetto",
      "Titolo,Descrizione,Stato,Etichette,Scadenza,Assegnatario,Sottoattività,-,Progetto",
    ],
    [
      "Dutch",
      "Taaknaam,Omschrijving,Kolom,Labels,Vervaldatum,Toegewezen aan,Subtaken,Projectnaam",
      "Taaknaam,Omschrijving,Kolom,Labels,Vervaldatum,Toegewezen aan,Subtaken,-,Projectnaam",
    ],
    [
      "Polish",
      "Tytuł,Opis,Kolumna,Etykiety,Termin,Osoba przypisana,Podzadania,Tablica",
      "Tytuł,Opis,Kolumna,Etykiety,Termin,Osoba przypisana,Podzadania,-,Tablica",
    ],
    [
      "Russian",
      "Название,Описание,Статус,Метки,Срок исполнения,Исполнитель,Чек-лист,Проект",
      "Название,Описание,Статус,Метки,Срок исполнения,Исполнитель,Чек-лист,-,Проект",
    ],
    [
      "Japanese",
      "タイトル,説明,ステータス,ラベル,期限,担当者,チェックリスト,プロジェクト",
      "タイトル,説明,ステータス,ラベル,期限,担当者,チェックリスト,-,プロジェクト",
    ],
    [
      "Chinese",
      "标题,描述,状态,标签,截止日期,负责人,检查清单,项目",
      "标题,描述,状态,标签,截止日期,负责人,检查清单,-,项目",
    ],
    [
      "traditional Chinese",
      "任務名稱,描述,列表,標籤,到期日,成員,清單,看板",
      "任務名稱,描述,列表,標籤,到期日,成員,清單,-,看板",
    ],
    [
      "Jira with dates of resolution",
      "Summary,Issue key,Status,Priority,Resolution,Created,Resolved,Due date",
      "Summary,-,Status,-,Due date,-,-,-,-,Priority,Resolved",
    ],
    [
      "Planner with dates of completion",
      "Task ID,Task Name,Bucket Name,Progress,Priority,Assigned To,Created Date,Due Date,Late,Completed Date,Completed By",
      "Task Name,-,Bucket Name,-,Due Date,Assigned To,-,-,-,Priority,Completed Date",
    ],
    [
      "Planner in German",
      "Aufgabenname,Bucketname,Fortschritt,Priorität,Zugewiesen zu,Fälligkeitsdatum,Abgeschlossen am",
      "Aufgabenname,-,Bucketname,-,Fälligkeitsdatum,Zugewiesen zu,-,-,-,Priorität,Abgeschlossen am",
    ],
    [
      "Todoist",
      "TYPE,CONTENT,DESCRIPTION,PRIORITY,INDENT,AUTHOR,RESPONSIBLE,DATE",
      "CONTENT,DESCRIPTION,-,-,DATE,RESPONSIBLE,-,-,-,PRIORITY",
    ],
    ["exact names before others", "Name,Title,Status,List", "Title,-,List"],
    ["each column once", "content", "content"],
    ["without a title, the first column that could be one", "ID,Created at,Thing,Status,Other", "Thing,-,Status"],
    ["without a title and a column that could be one", "ID,,42,Due date", "-,-,-,-,Due date"],
  ])("%s", (_, header, columns) => {
    const names = header.split(",");
    const found = columns.split(",").map((name, index) => [keys[index], names.indexOf(name)] as const);
    expect(suggestMapping(names)).toEqual(Object.fromEntries(found.filter(([, column]) => column !== -1)));
  });

  test("columns of one name belong together where the mapping takes several, else the first is taken", () => {
    const names = "Summary,Labels,Sprint,Status,labels,Due date,Status,Description,LABELS,Assignee,Description".split(
      ",",
    );
    expect(suggestMapping(names)).toEqual({
      title: 0,
      labels: [1, 4, 8],
      list: 3,
      dueDate: 5,
      description: [7, 10],
      assignee: 9,
    });
  });

  test("no name means two things, but for one that is a title where there is no other", () => {
    const all = CSV_COLUMNS.flatMap((key) => synonymsOf(key));
    expect(all.filter((name, index) => all.indexOf(name) !== index)).toEqual(["content"]);
  });
});
