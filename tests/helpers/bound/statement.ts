// Reads a statement and tells which tables of workspaces it touches without binding them to one workspace by equality. What it does
// not understand counts as not bound. Joins bind the other way round as well, but an outer join's condition says nothing of the rows
// that are there anyway, nor a subquery's of the rows outside it. An equality is followed through plain joins alone: a distributed
// database carries none into a lateral or a correlated subquery, nor out of a lateral, a union or a recursion, and would ask all nodes.

import {
  type A_Expr,
  type CommonTableExpr,
  type DeleteStmt,
  type InsertStmt,
  type JoinExpr,
  loadModule,
  type Node,
  parseSync,
  type RangeFunction,
  type RangeSubselect,
  type RangeVar,
  type SelectStmt,
  type UpdateStmt,
  type WithClause,
} from "libpg-query";
import { columnsOf, isOfWorkspaces, WORKSPACE } from "./schema.js";
import { type Column, constant, known, type Source, settle, type Value } from "./values.js";

/** What a statement says of workspaces. */
export interface Binding {
  /** Each use of a table of workspaces that is bound to none, or what could not be understood. */
  unbound: string[];
  /** The constants that each use is bound to: parameters as `$1`, literals as text. One workspace must be among those of all. */
  workspaces: string[][];
}

/** Names that a part of a statement can use. */
interface Scope {
  sources: Source[];
  ctes: Map<string, Column[]>;
  outer: Scope | null;
}

interface Required {
  what: string;
  value: Value;
}

await loadModule();

/** Reads one statement, or several behind each other. */
export function bindingOf(text: string): Binding {
  const reading = new Reading();
  for (const { stmt } of parseSync(text).stmts ?? []) if (stmt !== undefined) reading.statement(stmt);
  return reading.finish();
}

const stringOf = (node: Node | undefined) => (node !== undefined && "String" in node ? (node.String.sval ?? "") : null);
const namesOf = (nodes: readonly Node[] | undefined) => nodes?.map((node) => stringOf(node) ?? "") ?? [];

/** The conditions that all hold where an expression does. */
function conjuncts(node: Node | undefined): Node[] {
  if (node === undefined) return [];
  if ("BoolExpr" in node && node.BoolExpr.boolop === "AND_EXPR") return (node.BoolExpr.args ?? []).flatMap(conjuncts);
  return [node];
}

const isEquality = ({ kind, name }: A_Expr) => kind === "AEXPR_OP" && namesOf(name).join() === "=";

class Reading {
  readonly #values: Value[] = [];
  readonly #required: Required[] = [];
  readonly #unknown: string[] = [];

  finish(): Binding {
    settle(this.#values);
    const unbound = this.#required.filter(({ value }) => !isKnown(value)).map(({ what }) => what);
    const workspaces = this.#required.map(({ value }) => [...value.constants]);
    return { unbound: [...unbound, ...this.#unknown], workspaces };
  }

  /** Reads a statement of any kind; those that touch no rows say nothing. */
  statement(node: Node, outer: Scope | null = null): Column[] {
    if ("SelectStmt" in node) return this.#select(node.SelectStmt, outer);
    if ("InsertStmt" in node) return this.#insert(node.InsertStmt, outer);
    if ("UpdateStmt" in node) return this.#update(node.UpdateStmt, outer);
    if ("DeleteStmt" in node) return this.#delete(node.DeleteStmt, outer);
    if ("ExplainStmt" in node && node.ExplainStmt.query !== undefined)
      return this.statement(node.ExplainStmt.query, outer);
    if ("MergeStmt" in node || "CopyStmt" in node) this.#unknown.push(`a ${Object.keys(node)[0]}`);
    return [];
  }

  #select(select: SelectStmt, outer: Scope | null): Column[] {
    const scope = this.#within(outer, select.withClause);
    if (select.larg !== undefined && select.rarg !== undefined) {
      const left = this.#select(select.larg, scope);
      this.#subqueries([select.sortClause, select.limitCount, select.limitOffset], scope);
      this.#select(select.rarg, scope);
      return this.#unknownOf(left);
    }
    if (select.valuesLists !== undefined) return this.#rows(select.valuesLists, scope);
    for (const item of select.fromClause ?? []) scope.sources.push(...this.#from(item, scope));
    this.#conditions(select.whereClause, scope, scope.sources);
    const { withClause: _, fromClause: __, ...expressions } = select;
    this.#subqueries(expressions, scope);
    return this.#targets(select.targetList, scope);
  }

  #insert(insert: InsertStmt, outer: Scope | null): Column[] {
    const scope = this.#within(outer, insert.withClause);
    const table = insert.relation?.relname ?? "";
    const given = insert.selectStmt === undefined ? [] : this.statement(insert.selectStmt, scope);
    const named = insert.cols?.map((node) => ("ResTarget" in node ? (node.ResTarget.name ?? "") : ""));
    const names = named ?? columnsOf.get(table) ?? [];
    const target = this.#table(insert.relation, `inserted ${table}`);
    for (const [at, name] of names.entries()) {
      const value = given[at]?.value;
      if (value === undefined) continue;
      target.column(name)?.kinds.push([value]);
      // Of several rows, or several queries, each must be of the workspace.
      const parts = isOfWorkspaces(table) && name === WORKSPACE && value.source === null ? value.kinds.flat() : [];
      for (const part of parts) this.#required.push({ what: `inserted ${table}`, value: part });
    }
    scope.sources.push(target);
    this.#subqueries([insert.onConflictClause, insert.returningClause], scope);
    return this.#targets(insert.returningClause?.exprs, scope);
  }

  #update(update: UpdateStmt, outer: Scope | null): Column[] {
    const scope = this.#within(outer, update.withClause);
    scope.sources.push(this.#table(update.relation));
    for (const item of update.fromClause ?? []) scope.sources.push(...this.#from(item, scope));
    for (const target of update.targetList ?? []) {
      if (!("ResTarget" in target) || target.ResTarget.name !== WORKSPACE) continue;
      this.#unknown.push(`${update.relation?.relname}: rows that change their workspace`);
    }
    this.#conditions(update.whereClause, scope, scope.sources);
    this.#subqueries([update.targetList, update.whereClause, update.returningClause], scope);
    return this.#targets(update.returningClause?.exprs, scope);
  }

  #delete(deletion: DeleteStmt, outer: Scope | null): Column[] {
    const scope = this.#within(outer, deletion.withClause);
    scope.sources.push(this.#table(deletion.relation));
    for (const item of deletion.usingClause ?? []) scope.sources.push(...this.#from(item, scope));
    this.#conditions(deletion.whereClause, scope, scope.sources);
    this.#subqueries([deletion.whereClause, deletion.returningClause], scope);
    return this.#targets(deletion.returningClause?.exprs, scope);
  }

  /** A scope with the statement's own CTEs, each of which sees those before it. */
  #within(outer: Scope | null, clause: WithClause | undefined): Scope {
    const scope: Scope = { sources: [], ctes: new Map(), outer };
    for (const node of clause?.ctes ?? []) {
      if (!("CommonTableExpr" in node)) continue;
      const cte = node.CommonTableExpr;
      scope.ctes.set(cte.ctename ?? "", this.#cte(cte, clause?.recursive === true, scope));
    }
    return scope;
  }

  #cte(cte: CommonTableExpr, mayRecur: boolean, scope: Scope): Column[] {
    const query = cte.ctequery;
    if (query === undefined) return [];
    const named = (columns: Column[]) => renamed(columns, namesOf(cte.aliascolnames));
    const select = "SelectStmt" in query ? query.SelectStmt : null;
    if (!mayRecur || select?.larg === undefined || select.rarg === undefined)
      return this.#given(cte, named(this.statement(query, scope)));
    const base = named(this.#select(select.larg, scope));
    const itself = this.#unknownOf(base);
    this.#select(select.rarg, { sources: [], ctes: new Map([[cte.ctename ?? "", itself]]), outer: scope });
    return itself;
  }

  /** What a CTE gives: a materialized one is computed before the others, and carries nothing. */
  #given({ ctematerialized }: CommonTableExpr, columns: Column[]): Column[] {
    return ctematerialized === "CTEMaterializeAlways" ? this.#unknownOf(columns) : columns;
  }

  /** The sources of one item of a FROM; those before it are in the scope. */
  #from(item: Node, scope: Scope): Source[] {
    if ("RangeVar" in item) {
      const cte = item.RangeVar.schemaname === undefined ? cteOf(item.RangeVar.relname ?? "", scope) : undefined;
      return [cte === undefined ? this.#table(item.RangeVar) : this.#derived(item.RangeVar, cte)];
    }
    if ("RangeSubselect" in item) return [this.#subselect(item.RangeSubselect, scope)];
    if ("RangeFunction" in item) return [this.#function(item.RangeFunction, scope)];
    if ("JoinExpr" in item) return this.#join(item.JoinExpr, scope);
    this.#unknown.push(`${Object.keys(item)[0]} in a FROM`);
    return [];
  }

  #join(join: JoinExpr, scope: Scope): Source[] {
    const left = join.larg === undefined ? [] : this.#from(join.larg, scope);
    const beside: Scope = { sources: [...scope.sources, ...left], ctes: scope.ctes, outer: scope.outer };
    const right = join.rarg === undefined ? [] : this.#from(join.rarg, beside);
    const both = [...left, ...right];
    if (join.isNatural === true || join.alias !== undefined) this.#unknown.push("a natural join, or one with a name");
    const sifted = { JOIN_INNER: both, JOIN_LEFT: right, JOIN_RIGHT: left }[join.jointype as string] ?? [];
    const around: Scope = { sources: [...scope.sources, ...both], ctes: scope.ctes, outer: scope.outer };
    this.#conditions(join.quals, around, sifted);
    this.#subqueries([join.quals], around);
    for (const name of namesOf(join.usingClause)) {
      const [one, other] = [left, right].map((sources) => sources.map((source) => source.column(name)).find(Boolean));
      if (one !== undefined && other !== undefined) this.#equal(one, other, sifted);
    }
    return both;
  }

  #table(relation: RangeVar | undefined, what?: string): Source {
    const table = relation?.relname ?? "";
    const alias = relation?.alias?.aliasname ?? table;
    const names = columnsOf.get(table);
    const columns = new Map<string, Value>();
    const source: Source = {
      alias,
      column: (name) => columns.get(name),
      columns: () => (names === undefined ? null : [...columns].map(([name, value]) => ({ name, value }))),
    };
    for (const name of names ?? []) columns.set(name, this.#value(source));
    const value = columns.get(WORKSPACE);
    if (isOfWorkspaces(table) && value !== undefined) {
      this.#required.push({ what: what ?? (alias === table ? table : `${table} ${alias}`), value });
    }
    return source;
  }

  /** What a subquery or a CTE gives. */
  #derived({ alias, relname }: Pick<RangeVar, "alias" | "relname">, given: Column[]): Source {
    const columns: Column[] = [];
    const source: Source = {
      alias: alias?.aliasname ?? relname ?? "",
      column: (name) => columns.find((column) => column.name === name)?.value,
      columns: () => columns,
    };
    for (const { name, value } of renamed(given, namesOf(alias?.colnames))) {
      columns.push({ name, value: this.#value(source, [value]) });
    }
    return source;
  }

  #subselect({ subquery, alias, lateral }: RangeSubselect, scope: Scope): Source {
    const sees: Scope = lateral === true ? scope : { sources: [], ctes: scope.ctes, outer: scope.outer };
    const columns = subquery === undefined ? [] : this.statement(subquery, sees);
    const given = lateral === true ? columns.map(({ name }) => ({ name, value: this.#value(null) })) : columns;
    return this.#derived(alias === undefined ? {} : { alias }, given);
  }

  /** A function's rows: of no workspace, whatever their columns. */
  #function({ functions, alias, coldeflist }: RangeFunction, scope: Scope): Source {
    this.#subqueries([functions], scope);
    const defined = coldeflist?.map((node) => ("ColumnDef" in node ? (node.ColumnDef.colname ?? "") : "")) ?? [];
    const named = [...namesOf(alias?.colnames), ...defined];
    const columns = named.map((name) => ({ name, value: this.#value(null) }));
    const itself = this.#value(null);
    return {
      alias: alias?.aliasname ?? "",
      column: (name) =>
        columns.find((column) => column.name === name)?.value ?? (name === alias?.aliasname ? itself : undefined),
      columns: () => (named.length === 0 ? null : columns),
    };
  }

  /** What equalities tell of the columns of some sources. */
  #conditions(node: Node | undefined, scope: Scope, sifted: readonly Source[]): void {
    for (const condition of conjuncts(node)) {
      if (!("A_Expr" in condition) || !isEquality(condition.A_Expr)) continue;
      const { lexpr, rexpr } = condition.A_Expr;
      for (const [left, right] of pairs(lexpr, rexpr)) {
        const [one, other] = [this.#expression(left, scope), this.#expression(right, scope)];
        if (one !== null && other !== null) this.#equal(one, other, sifted);
      }
    }
  }

  #equal(one: Value, other: Value, sifted: readonly Source[]): void {
    if (one.source !== null && sifted.includes(one.source)) one.kinds.push([other]);
    if (other.source !== null && sifted.includes(other.source)) other.kinds.push([one]);
  }

  /** An expression's value; null where it is none of a column and a constant. */
  #expression(node: Node | undefined, scope: Scope): Value | null {
    if (node === undefined) return null;
    if ("TypeCast" in node) return this.#expression(node.TypeCast.arg, scope);
    if ("ParamRef" in node) return constant(`$${node.ParamRef.number}`);
    if ("A_Const" in node) {
      const { ival, sval, fval, isnull } = node.A_Const;
      if (isnull === true) return null;
      return constant(sval?.sval ?? fval?.fval ?? String(ival?.ival ?? 0));
    }
    return "ColumnRef" in node ? columnNamed(namesOf(node.ColumnRef.fields), scope) : null;
  }

  #targets(targets: readonly Node[] | undefined, scope: Scope): Column[] {
    return (targets ?? []).flatMap((node): Column[] => {
      if (!("ResTarget" in node)) return [];
      const { name, val } = node.ResTarget;
      const fields = val !== undefined && "ColumnRef" in val ? (val.ColumnRef.fields ?? []) : [];
      const last = fields.at(-1);
      if (last !== undefined && "A_Star" in last) return this.#star(namesOf(fields).at(-2) ?? null, scope);
      const value = this.#expression(val, scope) ?? this.#value(null);
      return [{ name: name ?? stringOf(last), value }];
    });
  }

  #star(alias: string | null, scope: Scope): Column[] {
    const sources = alias === null ? scope.sources : [sourceNamed(alias, scope)];
    return sources.flatMap((source) => {
      const columns = source?.columns() ?? null;
      if (columns === null) this.#unknown.push("* of something that is no table");
      return columns ?? [];
    });
  }

  #rows(lists: readonly Node[], scope: Scope): Column[] {
    const rows = lists.map((list) => ("List" in list ? (list.List.items ?? []) : []));
    this.#subqueries(lists, scope);
    return (rows[0] ?? []).map((_, at) => ({
      name: `column${at + 1}`,
      value: this.#value(
        null,
        rows.map((row) => this.#expression(row[at], scope) ?? this.#value(null)),
      ),
    }));
  }

  /** The columns of a union or a recursion, of which nothing is carried into a join. */
  #unknownOf(columns: Column[]): Column[] {
    return columns.map(({ name }) => ({ name, value: this.#value(null) }));
  }

  /** Reads the statements inside of expressions, which see the names around them. */
  #subqueries(part: unknown, scope: Scope): void {
    if (typeof part !== "object" || part === null) return;
    if (Array.isArray(part)) for (const one of part) this.#subqueries(one, scope);
    else if (isStatement(part)) this.statement(part, scope);
    else for (const one of Object.values(part)) this.#subqueries(one, scope);
  }

  #value(source: Source | null, ...kinds: Value[][]): Value {
    const value = known(source, ...kinds);
    this.#values.push(value);
    return value;
  }
}

const isKnown = (value: Value | undefined) => value !== undefined && value.constants.size > 0;

/** A tree's node that is a statement of its own. */
const isStatement = (part: object): part is Node => "SelectStmt" in part;

/** Both sides of an equality, column by column where they are rows. */
function pairs(left: Node | undefined, right: Node | undefined): [Node | undefined, Node | undefined][] {
  if (left === undefined || right === undefined || !("RowExpr" in left) || !("RowExpr" in right))
    return [[left, right]];
  const others = right.RowExpr.args ?? [];
  return (left.RowExpr.args ?? []).map((one, at) => [one, others[at]]);
}

const renamed = (columns: Column[], names: readonly string[]): Column[] =>
  columns.map(({ name, value }, at) => ({ name: names[at] ?? name, value }));

function* outwards(scope: Scope): Generator<Scope> {
  for (let at: Scope | null = scope; at !== null; at = at.outer) yield at;
}

function cteOf(name: string, scope: Scope): Column[] | undefined {
  for (const { ctes } of outwards(scope)) if (ctes.has(name)) return ctes.get(name);
  return undefined;
}

function sourceNamed(alias: string, scope: Scope): Source | undefined {
  for (const { sources } of outwards(scope)) {
    const found = sources.find((source) => source.alias === alias);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A column of the statement's own sources; null for one of a statement around it. */
function columnNamed(fields: readonly string[], { sources }: Scope): Value | null {
  const name = fields.at(-1) ?? "";
  const alias = fields.at(-2);
  for (const source of sources) {
    const found = alias === undefined || source.alias === alias ? source.column(name) : undefined;
    if (found !== undefined) return found;
  }
  return null;
}
