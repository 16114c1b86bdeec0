"""The way to the car over the network, to the programs that its kit ships.

``words``      which of the five motion words is due, so that the mean speed is the one that is asked for
``aim``        which camera word is due
``talk``       the one word to send next
``proof``      a stop whose arrival is proved
``link``       the connection, its thread and its ends
``requests``   HTTP within a bounded time
``telemetry``  strict reading of the sensor add-on's answers
``poller``     asks for telemetry again and again
``jpeg``       whether some bytes are one whole picture
``pictures``   whole JPEGs from camera datagrams
``car``        the transport made of all these
"""

from __future__ import annotations
