/** A reference model of the queue of a thread. */

export interface ModelRow {
  readonly key: string;
  readonly id: string;
  /** Its params are invalid, so that no turn can be started with them. */
  readonly isBad: boolean;
  readonly isFailed: boolean;
}

export interface QueueModel {
  rows: ModelRow[];
  pause: string | null;
  /** The key of the message that began the running turn. */
  running: string | null;
  /** Keys of the started queued turns, in order. */
  started: string[];
}

export const emptyQueue = (): QueueModel => ({ rows: [], pause: null, running: null, started: [] });

/** Starts the first row unless something holds it, or marks it as failed. */
export function startNext(model: QueueModel): void {
  const [first] = model.rows;
  if (model.running === null && model.pause === null && first?.isFailed === false) startRow(model, first);
}

/** Starts a row regardless of pauses; returns whether it could be started. */
export function startRow(model: QueueModel, row: ModelRow): boolean {
  if (row.isBad) {
    model.rows = model.rows.map((each) => (each === row ? { ...row, isFailed: true } : each));
    return false;
  }
  model.rows = model.rows.filter((each) => each !== row);
  model.started.push(row.key);
  model.running = row.key;
  return true;
}

export function removeRow(model: QueueModel, row: ModelRow): void {
  model.rows = model.rows.filter((each) => each !== row);
  startNext(model);
}

/** Replaces the input, and retries a failed row. */
export function updateRow(model: QueueModel, row: ModelRow): void {
  model.rows = model.rows.map((each) => (each === row ? { ...row, isFailed: false } : each));
  startNext(model);
}

export function reorderRows(model: QueueModel, rows: readonly ModelRow[]): void {
  model.rows = [...rows];
  startNext(model);
}

/** The running turn has ended, in whatever state. */
export function endTurn(model: QueueModel): void {
  model.running = null;
  startNext(model);
}

export function setPause(model: QueueModel, reason: string | null): void {
  model.pause = reason;
  startNext(model);
}
