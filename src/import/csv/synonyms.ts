// The names of an import's columns in other tools, by language; in each the likeliest names first.

import type { CSV_COLUMNS } from "../../board/csvFile.js";

type Key = (typeof CSV_COLUMNS)[number];

/** As Trello, Jira, Asana, Linear, GitHub, Planner, Notion, ClickUp, Todoist and similar tools write them. */
const LANGUAGES: Record<string, Record<Key, string>> = {
  English: {
    title:
      "card name, card title, summary, name, task name, task title, issue title, issue name, task, card, issue, subject, item, item name, to do, story, content, heading",
    description:
      "card description, task description, issue description, desc, notes, note, body, details, task content, content, text",
    list: "list name, column, column name, section/column, section, section name, bucket name, bucket, lane, group, group name, status, state, stage, workflow state, phase",
    labels: "label, label names, tags, tag, categories, category",
    dueDate: "due, due on, due at, due by, deadline, target date, end date, date",
    assignee:
      "assignees, assigned to, assignee email, assignee name, assigned, assign, members, member, member names, owner, owners, responsible, person, people",
    checklist: "checklist items, checklists, subtasks, sub-tasks, subtask, checklist item, to-dos",
    checklistName: "checklist title, name of checklist",
    board: "board name, project, project name, projects",
    priority: "priority level, priority name, prio, importance, urgency",
    completed:
      "completed at, completed on, completed date, completion date, date completed, resolved, resolved at, resolution date, closed at, closed date, finished at, done at, is completed, is complete, is done, due complete, done, complete, finished, progress",
  },
  German: {
    title:
      "Titel, Kartenname, Kartentitel, Aufgabenname, Aufgabentitel, Zusammenfassung, Bezeichnung, Betreff, Aufgabe, Karte, Vorgang, Thema, Überschrift",
    description:
      "Beschreibung, Kartenbeschreibung, Aufgabenbeschreibung, Notizen, Notiz, Bemerkung, Bemerkungen, Inhalt",
    list: "Liste, Listenname, Abschnitt/Spalte, Spalte, Spaltenname, Abschnitt, Bereich, Bucketname, Gruppe, Zustand",
    labels:
      "Etiketten, Etikett, Beschriftungen, Beschriftung, Schlagwörter, Stichwörter, Schlagworte, Markierungen, Kategorien, Kategorie",
    dueDate: "Fälligkeitsdatum, Fällig am, Fällig, Fälligkeit, Zieldatum, Enddatum, Termin, Frist, Datum",
    assignee:
      "Zugewiesen an, Zugewiesen zu, Zugewiesene Person, Zugewiesen, Bearbeiter, Zuständige Person, Zuständig, Verantwortlich, Verantwortlicher, Verantwortliche, Mitglieder, Mitglied, Personen",
    checklist:
      "Checkliste, Checklisten, Checklistenelemente, Prüfliste, Prüflistenelemente, Teilaufgaben, Unteraufgaben",
    checklistName: "Name der Checkliste, Checklistenname",
    board: "Boardname, Tafel, Projekt, Projektname, Projekte",
    priority: "Priorität, Dringlichkeit, Wichtigkeit",
    completed: "Abgeschlossen am, Abschlussdatum, Erledigt am, Erledigt, Abgeschlossen, Fertig, Fortschritt",
  },
  French: {
    title:
      "Titre, Nom de la carte, Titre de la carte, Nom de la tâche, Titre de la tâche, Résumé, Nom, Intitulé, Objet, Sujet, Tâche, Carte, Ticket",
    description: "Description de la carte, Description de la tâche, Remarque, Remarques, Commentaire, Contenu, Texte",
    list: "Nom de la liste, Colonne, Section/Colonne, Compartiment, Groupe, Statut, État, Étape",
    labels: "Étiquettes, Étiquette, Libellés, Libellé, Mots-clés, Catégories, Catégorie",
    dueDate: "Date d'échéance, Échéance, Date limite, Date de fin, À rendre le",
    assignee:
      "Attribué à, Assigné à, Affecté à, Assigné, Personne assignée, Responsable, Responsables, Membres, Membre, Personne, Personnes",
    checklist: "Liste de contrôle, Éléments de la liste de contrôle, Sous-tâches, Check-lists",
    checklistName: "Nom de la checklist, Nom de la liste de contrôle",
    board: "Tableau, Nom du tableau, Projet, Nom du projet, Projets",
    priority: "Priorité, Niveau de priorité, Urgence",
    completed: "Terminé le, Date d'achèvement, Achevé le, Résolu le, Terminé, Terminée, Fait, Avancement, Progression",
  },
  Spanish: {
    title:
      "Título, Nombre de la tarjeta, Título de la tarjeta, Nombre de la tarea, Título de la tarea, Resumen, Nombre, Asunto, Tarea, Tarjeta, Incidencia",
    description:
      "Descripción, Descripción de la tarjeta, Descripción de la tarea, Notas, Nota, Contenido, Detalles, Texto",
    list: "Lista, Nombre de la lista, Columna, Sección, Sección/Columna, Depósito, Grupo, Estado, Etapa, Fase",
    labels: "Etiquetas, Etiqueta, Categorías, Categoría",
    dueDate: "Fecha de vencimiento, Vencimiento, Fecha límite, Fecha de entrega, Fecha de fin, Plazo, Fecha",
    assignee: "Asignado a, Asignada a, Asignado, Persona asignada, Encargado, Miembros, Miembro, Persona, Personas",
    checklist: "Lista de comprobación, Lista de verificación, Lista de control, Subtareas",
    checklistName: "Nombre de la lista de comprobación, Nombre de la checklist",
    board: "Tablero, Nombre del tablero, Proyecto, Nombre del proyecto, Proyectos",
    priority: "Prioridad, Importancia, Urgencia",
    completed:
      "Fecha de finalización, Completado el, Finalizado el, Completado, Completada, Terminado, Hecho, Progreso",
  },
  Portuguese: {
    title: "Título do cartão, Nome do cartão, Nome da tarefa, Título da tarefa, Resumo, Nome, Assunto, Tarefa, Cartão",
    description: "Descrição, Descrição do cartão, Descrição da tarefa, Anotações, Observações, Conteúdo, Detalhes",
    list: "Nome da lista, Coluna, Seção, Secção, Seção/Coluna, Situação",
    labels: "Rótulos, Rótulo, Marcadores",
    dueDate: "Data de vencimento, Data de entrega, Data de conclusão, Data limite, Prazo, Data",
    assignee: "Atribuído a, Atribuída a, Atribuído, Responsável, Responsáveis, Membros, Membro, Pessoa, Pessoas",
    checklist: "Lista de verificação, Itens da checklist, Subtarefas",
    checklistName: "Nome da checklist",
    board: "Quadro, Nome do quadro, Projeto, Nome do projeto, Projetos",
    priority: "Prioridade, Importância, Urgência",
    completed: "Concluído em, Concluída em, Finalizado em, Concluído, Concluída, Feito, Progresso",
  },
  Italian: {
    title:
      "Titolo, Nome della scheda, Titolo della scheda, Nome attività, Titolo attività, Riepilogo, Oggetto, Attività, Scheda, Compito",
    description: "Descrizione, Descrizione della scheda, Contenuto, Testo, Dettagli",
    list: "Elenco, Nome della lista, Colonna, Sezione, Sezione/Colonna, Gruppo, Stato",
    labels: "Etichette, Etichetta, Categorie, Categoria",
    dueDate: "Data di scadenza, Scadenza, Data di fine, Termine",
    assignee: "Assegnato a, Assegnata a, Assegnato, Assegnatario, Responsabile, Membri, Persone",
    checklist: "Lista di controllo, Elenco di controllo, Sottoattività",
    checklistName: "Nome della checklist, Nome della lista di controllo",
    board: "Bacheca, Nome della bacheca, Progetto, Nome del progetto, Progetti",
    priority: "Priorità, Importanza, Urgenza",
    completed: "Data di completamento, Completato il, Completato, Completata, Fatto, Avanzamento",
  },
  Dutch: {
    title:
      "Kaartnaam, Kaarttitel, Naam van kaart, Taaknaam, Taaktitel, Naam van taak, Samenvatting, Naam, Onderwerp, Taak, Kaart",
    description:
      "Beschrijving, Omschrijving, Kaartbeschrijving, Taakbeschrijving, Notities, Opmerkingen, Inhoud, Tekst",
    list: "Lijst, Lijstnaam, Kolom, Sectie, Sectie/Kolom, Groep",
    labels: "Categorieën",
    dueDate: "Vervaldatum, Einddatum, Uiterste datum, Streefdatum, Inleverdatum",
    assignee: "Toegewezen aan, Toegewezen, Toegewezen persoon, Uitvoerder, Verantwoordelijke, Leden, Lid, Persoon",
    checklist: "Controlelijst, Subtaken, Deeltaken",
    checklistName: "Naam van checklist",
    board: "Bord, Bordnaam, Projectnaam, Projecten",
    priority: "Prioriteit, Urgentie",
    completed: "Voltooid op, Voltooiingsdatum, Datum voltooid, Afgerond op, Voltooid, Afgerond, Klaar, Voortgang",
  },
  Polish: {
    title: "Tytuł, Nazwa karty, Tytuł karty, Nazwa zadania, Tytuł zadania, Podsumowanie, Nazwa, Temat, Zadanie, Karta",
    description: "Opis, Opis karty, Opis zadania, Notatki, Uwagi, Treść",
    list: "Nazwa listy, Kolumna, Sekcja, Sekcja/Kolumna, Zasobnik, Grupa, Stan, Etap",
    labels: "Etykiety, Etykieta, Tagi, Kategoria",
    dueDate: "Termin wykonania, Data wykonania, Data ukończenia, Data zakończenia",
    assignee:
      "Przypisano do, Przypisane do, Przypisany do, Przypisany, Osoba przypisana, Wykonawca, Odpowiedzialny, Członkowie, Członek, Osoba, Osoby",
    checklist: "Lista kontrolna, Podzadania",
    checklistName: "Nazwa listy kontrolnej",
    board: "Tablica, Nazwa tablicy, Nazwa projektu, Projekty",
    priority: "Priorytet, Ważność",
    completed: "Data zamknięcia, Ukończono, Ukończone, Zakończono, Zakończone, Gotowe, Postęp",
  },
  Russian: {
    title:
      "Заголовок, Название, Название карточки, Название задачи, Имя карточки, Имя задачи, Тема, Наименование, Имя, Задача, Карточка",
    description: "Описание, Описание карточки, Описание задачи, Заметки, Примечание, Примечания, Содержание, Текст",
    list: "Список, Название списка, Колонка, Столбец, Секция, Раздел, Группа, Статус, Состояние, Этап",
    labels: "Метки, Метка, Ярлыки, Теги, Тег, Категории, Категория",
    dueDate: "Срок, Срок исполнения, Срок выполнения, Крайний срок, Дата выполнения, Дата окончания, Дедлайн, Дата",
    assignee: "Исполнитель, Исполнители, Назначено, Ответственный, Ответственные, Участники, Участник",
    checklist: "Чек-лист, Чек-листы, Контрольный список, Подзадачи",
    checklistName: "Название чек-листа, Имя чек-листа",
    board: "Доска, Название доски, Проект, Название проекта, Проекты",
    priority: "Приоритет, Важность, Срочность",
    completed: "Дата завершения, Дата решения, Завершено, Выполнено, Готово, Ход выполнения, Прогресс",
  },
  Japanese: {
    title: "タイトル, カード名, タスク名, 件名, 題名, 要約, 名前, 名称, タスク, カード, 課題",
    description: "説明, 詳細, 内容, メモ, 備考, 本文",
    list: "リスト, リスト名, 列, セクション, セクション/列, バケット名, グループ, ステータス, 状態, 状況",
    labels: "ラベル, タグ, カテゴリ, カテゴリー",
    dueDate: "期限, 期日, 期限日, 締切, 締め切り, 締切日, 終了日, 日付",
    assignee: "担当者, 担当, 割り当て先, 割り当て, メンバー",
    checklist: "チェックリスト, チェックリスト項目, サブタスク",
    checklistName: "チェックリスト名",
    board: "ボード, ボード名, プロジェクト, プロジェクト名",
    priority: "優先度, 優先順位, 重要度",
    completed: "完了日, 完了日時, 解決日, 完了, 進捗, 進行状況",
  },
  Chinese: {
    title: "标题, 標題, 卡片名称, 卡片名稱, 任务名称, 任務名稱, 摘要, 概要, 主题, 主題, 名稱, 任务, 任務, 卡片",
    description: "描述, 说明, 說明, 备注, 備註, 內容, 正文",
    list: "列表, 列表名称, 列表名稱, 列名, 栏, 分组, 分組, 状态, 狀態, 阶段, 階段",
    labels: "标签, 標籤, 类别, 類別, 分类, 分類",
    dueDate: "截止日期, 到期日, 到期日期, 截止时间, 截止時間, 完成日期, 日期",
    assignee: "负责人, 負責人, 经办人, 經辦人, 执行人, 分配给, 指派给, 成员, 成員, 受理人",
    checklist: "检查清单, 檢查清單, 清单, 清單, 待办清单, 待辦清單, 检查项, 子任务, 子任務",
    checklistName: "清单名称, 清單名稱, 检查清单名称",
    board: "看板, 看板名称, 看板名稱, 面板, 项目, 專案, 项目名称, 專案名稱",
    priority: "优先级, 優先級, 優先順序, 优先度, 優先權",
    completed: "完成时间, 完成時間, 是否完成, 已完成, 完成, 进度, 進度",
  },
};

/** The names of a column in all languages. */
export const synonymsOf = (key: Key): string[] => Object.values(LANGUAGES).flatMap((names) => names[key].split(", "));
