/** The folder whose hooks or rules are shown. */
import { place } from "../state/router.ts";
import { allThreads } from "../state/threads.ts";
import { FilterChoice } from "../ui/filter-choice.tsx";

export function FolderFilter() {
  const chosen = place.value.query.get("folder");
  const folders = new Set(allThreads.value.map(({ cwd }) => cwd));
  if (chosen !== null) folders.add(chosen);
  return (
    <FilterChoice
      name="folder"
      label="Folder"
      all="Folder of the server"
      choices={[...folders].map((folder) => [folder, folder])}
    />
  );
}
