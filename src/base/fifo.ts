/** A queue whose operations take the same time however long it is; taking from an array's front does not. */
export interface Fifo<T> {
  push(item: T): void;
  peek(): T | undefined;
  shift(): T | undefined;
  readonly size: number;
}

/** Taken places are given back once there are this many, and more of them than items. */
const MIN_SLACK = 1024;

export function createFifo<T>(): Fifo<T> {
  let items: (T | undefined)[] = [];
  let head = 0;
  return {
    push: (item) => void items.push(item),
    peek: () => items[head],
    shift() {
      if (head === items.length) return undefined;
      const item = items[head];
      items[head++] = undefined;
      if (head >= MIN_SLACK && head * 2 > items.length) {
        items = items.slice(head);
        head = 0;
      }
      return item;
    },
    get size() {
      return items.length - head;
    },
  };
}
