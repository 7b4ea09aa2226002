/** The program that plays the scenarios of all clients with this one. It is started as a source file, by any Java from 17 on. */

package dev.sandglass.client.scenarios;


