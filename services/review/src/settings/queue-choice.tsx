import { useQuery } from '@tanstack/react-query';
import { queries } from '../api/queries';
import { texts } from '../texts';

/** A part of a form: some of all queues, by their URLs, under the name `queues`. */
export function QueueChoice({ chosen = [] }: { readonly chosen?: readonly string[] }) {
  const queues = useQuery(queries.queues());
  return (
    <fieldset>
      <legend>{texts.settings.queues}</legend>
      {queues.data?.map(({ url, name }) => (
        <label key={url} className="check">
          <input type="checkbox" name="queues" value={url} defaultChecked={chosen.includes(url)} /> {name}
        </label>
      ))}
    </fieldset>
  );
}
