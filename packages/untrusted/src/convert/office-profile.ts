import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

/** No macros, nothing fetched for links in the document, and a proxy that is not there for what would be. */
const SETTINGS: readonly (readonly [path: string, name: string, value: string])[] = [
  ['Common/Security/Scripting', 'DisableMacrosExecution', 'true'],
  ['Common/Security/Scripting', 'MacroSecurityLevel', '3'],
  ['Common/Security/Scripting', 'BlockUntrustedRefererLinks', 'true'],
  ['Common/Save/Document', 'LoadPrinter', 'false'],
  ['Calc/Content/Update', 'Link', '2'],
  ['Writer/Content/Update', 'Link', '0'],
  ['Inet/Settings', 'ooInetProxyType', '2'],
  ['Inet/Settings', 'ooInetHTTPProxyName', '127.0.0.1'],
  ['Inet/Settings', 'ooInetHTTPProxyPort', '9'],
  ['Inet/Settings', 'ooInetHTTPSProxyName', '127.0.0.1'],
  ['Inet/Settings', 'ooInetHTTPSProxyPort', '9'],
];

/** What every process of LibreOffice is started with, beside its profile. */
const OPTIONS = ['--headless', '--norestore', '--nologo', '--nolockcheck'];

/**
 * Makes a profile for one process of LibreOffice.
 *
 * @param folder is made
 * @returns what the process is started with, and the URL that it knows its profile by
 */
export async function createProfile(folder: string): Promise<{ options: readonly string[]; url: string }> {
  await mkdir(path.join(folder, 'user'), { recursive: true });
  await writeFile(path.join(folder, 'user/registrymodifications.xcu'), describeSettings());
  const url = pathToFileURL(folder).href;
  return { options: [`-env:UserInstallation=${url}`, ...OPTIONS], url };
}

function describeSettings(): string {
  const items = SETTINGS.map(
    ([at, name, value]) =>
      `<item oor:path="/org.openoffice.${at.startsWith('Inet') ? at : `Office.${at}`}"><prop oor:name="${name}" oor:op="fuse"><value>${value}</value></prop></item>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
${items.join('\n')}
</oor:items>
`;
}
