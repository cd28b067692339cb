import { Store } from './store';

export function View(props: { store: Store<string> }) {
  return <div title="Store">{String(props.store)}</div>;
}

export const App = () => <View store={new Store()} />;
