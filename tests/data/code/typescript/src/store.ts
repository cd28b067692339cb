/** What a store holds. */
export interface Entry<T> {
  key: string;
  value: T;
}

export type Key = string | number;

export enum Mode {
  Read,
  Write = 2,
}

export abstract class Base {
  abstract close(): void;
}

export class Store<T> extends Base {
  private entries: Entry<T>[] = [];

  close(): void {}

  put(key: Key, value: T): Entry<T> {
    const entry = { key: String(key), value };
    this.entries.push(entry);
    return entry;
  }
}

export const open = (mode: Mode): Store<string> => new Store();
