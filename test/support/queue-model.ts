/** What the queue of a thread has to be like, as plainly as it can be said. */

export interface ModelRow {
  readonly key: string;
  readonly id: string;
  /** It asks for what no turn can be started with. */
  readonly isBad: boolean;
  readonly isFailed: boolean;
}

export interface QueueModel {
  rows: ModelRow[];
  pause: string | null;
  /** What was said to begin the turn that runs. */
  running: string | null;
  /** Keys of the queued turns that have started, in their order. */
  started: string[];
}

export const emptyQueue = (): QueueModel => ({ rows: [], pause: null, running: null, started: [] });

/** The first row starts where nothing holds it up, or fails. */
export function startNext(model: QueueModel): void {
  const [first] = model.rows;
  if (model.running === null && model.pause === null && first?.isFailed === false) startRow(model, first);
}

/** Whether it could be started, whatever it and the queue are like. */
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

/** Other input, with which it is tried anew. */
export function updateRow(model: QueueModel, row: ModelRow): void {
  model.rows = model.rows.map((each) => (each === row ? { ...row, isFailed: false } : each));
  startNext(model);
}

export function reorderRows(model: QueueModel, rows: readonly ModelRow[]): void {
  model.rows = [...rows];
  startNext(model);
}

/** The turn that runs is over, however it ended. */
export function endTurn(model: QueueModel): void {
  model.running = null;
  startNext(model);
}

export function setPause(model: QueueModel, reason: string | null): void {
  model.pause = reason;
  startNext(model);
}
