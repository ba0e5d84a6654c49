import manifest from '../../package.json' with { type: 'json' };

/** The version of this Turnback. */
export const APP_VERSION: string = manifest.version;
