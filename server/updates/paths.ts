/** The places that the root updater and the server share. The root updater takes those of the kiosk's unit. */

/** The data folder of the kiosk's unit. It belongs to the server's user, so root writes nothing in it. */
export const DATA_FOLDER = '/var/lib/counterproof'
export const RELEASE_KEYS_FOLDER = '/etc/counterproof/release-keys'

export interface UpdatePaths {
  /** Belongs to root; the server may read it. */
  readonly folder: string
  /** Exists while an update is under way: the kiosk takes no new visit. */
  readonly underWay: string
  readonly result: string
  /** Packages that the server downloaded, `<sha256>.deb` and `<sha256>.release.json`. */
  readonly downloads: string
  readonly request: string
}

export function getUpdatePaths(dataDir: string): UpdatePaths {
  const [folder, downloads] = [`${dataDir}-update`, `${dataDir}/updates`]
  return {
    folder,
    underWay: `${folder}/under-way.json`,
    result: `${folder}/result.json`,
    downloads,
    request: `${downloads}/request.json`,
  }
}
