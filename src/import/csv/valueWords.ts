// The words for priorities and completion in the files of Jira, Linear, Planner, Todoist and similar tools (capabilities section 0,
// CSV), by language.

import type { z } from "zod";
import type { Priority } from "../../api/shapes.js";
import { plainName } from "./plainNames.js";

type PriorityName = z.output<typeof Priority>;
type Words<Meaning extends string> = Record<string, Record<Meaning, string>>;

/** Numbers are those of Todoist, where 4 is no priority. */
const PRIORITIES: Words<PriorityName> = {
  English: {
    urgent: "urgent, highest, critical, blocker, very high, immediate, 1, p1, priority 1, p0",
    high: "high, important, major, 2, p2, priority 2",
    medium: "medium, normal, moderate, 3, p3, priority 3",
    low: "low, lowest, minor, trivial, very low, 5, p5, priority 5",
    none: "none, no priority, not set, 4, p4, priority 4, 0",
  },
  German: {
    urgent: "dringend, höchste, am höchsten, sehr hoch, kritisch, blockierend",
    high: "hoch, hohe, wichtig",
    medium: "mittel, mittlere, mäßig",
    low: "niedrig, niedrige, gering, niedrigste, am niedrigsten, sehr niedrig",
    none: "keine, keine Priorität, ohne",
  },
  French: {
    urgent: "urgente, la plus élevée, le plus élevé, très élevée, très haute, maximale, critique, bloquant, bloquante",
    high: "élevée, élevé, haute, haut, importante, majeure, majeur",
    medium: "moyenne, moyen, normale, modérée",
    low: "faible, basse, bas, la plus faible, la plus basse, très faible, mineure, mineur, minimale",
    none: "aucune, aucun, aucune priorité, sans priorité",
  },
  Spanish: {
    urgent: "más alta, la más alta, muy alta, máxima, crítica, crítico, bloqueante",
    high: "alta, alto, elevada, mayor",
    medium: "media, medio, mediana, moderada",
    low: "baja, bajo, más baja, la más baja, muy baja, mínima, menor",
    none: "ninguna, ninguno, sin prioridad",
  },
  Portuguese: {
    urgent: "mais alta, altíssima, muito alta",
    high: "mais importante",
    medium: "média, médio",
    low: "baixa, baixo, mais baixa, muito baixa",
    none: "nenhuma, nenhum, sem prioridade",
  },
  Italian: {
    urgent: "massima, più alta, molto alta, altissima, bloccante",
    high: "elevata, maggiore",
    medium: "moderato",
    low: "bassa, basso, minima, più bassa, molto bassa, minore",
    none: "nessuna, nessuno, nessuna priorità",
  },
  Dutch: {
    urgent: "hoogste, zeer hoog, spoed, kritiek, blokkerend",
    high: "hoog, hoge, belangrijk",
    medium: "gemiddeld, normaal, middel",
    low: "laag, lage, laagste, zeer laag",
    none: "geen, geen prioriteit",
  },
  Polish: {
    urgent: "pilne, pilny, najwyższy, najwyższa, bardzo wysoki, krytyczny",
    high: "wysoki, wysoka, ważne, ważny",
    medium: "średni, średnia, normalny",
    low: "niski, niska, najniższy, najniższa, bardzo niski",
    none: "brak, brak priorytetu",
  },
  Russian: {
    urgent: "срочно, срочный, наивысший, самый высокий, очень высокий, критический, критичный, блокирующий",
    high: "высокий, высокая, важно, важный",
    medium: "средний, средняя, обычный, нормальный",
    low: "низкий, низкая, самый низкий, очень низкий, незначительный",
    none: "нет, без приоритета",
  },
  Japanese: {
    urgent: "緊急, 最高, 至急, 最優先",
    high: "高, 高い, 重要",
    medium: "中, 中程度, 普通, 標準",
    low: "低, 低い, 最低",
    none: "なし, 優先度なし, 未設定",
  },
  Chinese: {
    urgent: "紧急, 非常高, 加急",
    high: "高优先级",
    medium: "中等, 一般",
    low: "较低",
    none: "无, 無, 无优先级, 没有优先级",
  },
};

/** All other words mean open, but only these tell that a column is about completion. */
const COMPLETION: Words<"done" | "open"> = {
  English: {
    done: "done, completed, complete, closed, resolved, finished, fixed, yes, y, true, x, 1, 100%, ✓, ✔, ✔️, ☑, ✅",
    open: "no, n, false, 0, 0%, 50%, open, to do, not started, in progress, in review, backlog, new, pending, incomplete, not completed, unresolved, reopened, canceled, cancelled, late",
  },
  German: {
    done: "abgeschlossen, erledigt, fertig, geschlossen, gelöst, beendet, ja, wahr",
    open: "nein, falsch, offen, nicht begonnen, nicht gestartet, in Arbeit, in Bearbeitung, zu erledigen, neu, nicht erledigt",
  },
  French: {
    done: "terminé, terminée, achevé, achevée, fermé, fermée, clos, résolu, résolue, fini, fait, oui, vrai",
    open: "non, faux, ouvert, ouverte, non démarré, non commencé, pas commencé, en cours, à faire, nouveau, non résolu",
  },
  Spanish: {
    done: "completado, completada, terminado, terminada, finalizado, finalizada, hecho, cerrado, cerrada, resuelto, listo, sí, verdadero",
    open: "falso, abierto, abierta, no iniciado, no iniciada, sin iniciar, sin empezar, en curso, en progreso, por hacer, pendiente, nuevo",
  },
  Portuguese: {
    done: "concluído, concluída, completo, completa, feito, feita, fechado, fechada, resolvido, sim, verdadeiro",
    open: "não, aberto, não iniciado, não iniciada, em andamento, em curso, a fazer, pendente, novo",
  },
  Italian: {
    done: "completato, completata, fatto, chiuso, chiusa, risolto, finito, concluso, vero",
    open: "aperto, aperta, non avviato, non avviata, non iniziato, non iniziata, in corso, da fare, nuovo",
  },
  Dutch: {
    done: "voltooid, klaar, gereed, afgerond, gesloten, opgelost, gedaan, waar",
    open: "nee, onwaar, niet gestart, niet begonnen, bezig, in uitvoering, in behandeling, te doen, nieuw",
  },
  Polish: {
    done: "ukończone, ukończono, ukończony, zakończone, zakończono, gotowe, zrobione, zamknięte, rozwiązane, tak, prawda",
    open: "nie, fałsz, otwarte, nierozpoczęte, nie rozpoczęto, w toku, w trakcie, do zrobienia, nowe",
  },
  Russian: {
    done: "завершено, завершена, завершен, выполнено, выполнена, выполнен, готово, закрыто, закрыт, закрыта, решено, решен, решена, сделано, да, истина",
    open: "нет, ложь, открыто, открыт, открыта, не начато, не начата, выполняется, в работе, в процессе, к выполнению, сделать, новая",
  },
  Japanese: {
    done: "完了, 完了済み, 済, 済み, 終了, 解決済み, クローズ, はい",
    open: "いいえ, 未完了, 未着手, 未開始, 開始前, 進行中, 対応中, 作業中, オープン, 未解決",
  },
  Chinese: {
    done: "完成, 已完成, 已关闭, 已關閉, 已解决, 已解決, 关闭, 是, 已结束",
    open: "否, 未完成, 未开始, 尚未开始, 尚未開始, 进行中, 進行中, 正在进行, 打开, 待办, 待辦, 待处理, 未解决",
  },
};

/** A word without case, accents and punctuation; a sign such as a check mark as it is. */
const keyOf = (word: string) => plainName(word) || word.trim();

function meaningsOf<Meaning extends string>(languages: Words<Meaning>): Map<string, Meaning> {
  const meanings = new Map<string, Meaning>();
  for (const language of Object.values(languages)) {
    for (const meaning in language)
      for (const word of language[meaning].split(", ")) meanings.set(keyOf(word), meaning);
  }
  return meanings;
}

const priorities = meaningsOf(PRIORITIES);
const completion = meaningsOf(COMPLETION);

/** The priority that a cell names; null for any other text. */
export const priorityNamed = (cell: string): PriorityName | null => priorities.get(keyOf(cell)) ?? null;

/** Whether a cell says that something is done or open; null for any other text. */
export const completionNamed = (cell: string): "done" | "open" | null => completion.get(keyOf(cell)) ?? null;
