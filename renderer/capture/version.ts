/** Told to the appliance with the pictures (`sdkInfo`). Rises when what is captured changes. */
export const COMPONENT_VERSION = '1.0.0'
