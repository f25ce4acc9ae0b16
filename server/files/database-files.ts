/** Names of the databases in the data folder. */
export const DATABASE = 'appliance.sqlite'
