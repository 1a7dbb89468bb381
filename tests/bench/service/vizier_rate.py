"""Trials per second through suggest and complete of a Vizier service with its SQLite datastore.

Prints one line of JSON. Run by service_bench in a virtual environment of its own.
"""

import importlib.metadata
import json
import os
import sys
import tempfile
import threading
import time


def main():
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    from vizier.service import clients, pyvizier, servers

    seconds = float(sys.argv[1])
    client_count = int(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        server = servers.DefaultVizierServer(
            database_url=f"sqlite:///{folder}/vizier.db"
        )
        clients.environment_variables.server_endpoint = server.endpoint

        config = pyvizier.StudyConfig(algorithm="RANDOM_SEARCH")
        root = config.search_space.root
        root.add_int_param("A", 0, 499)
        root.add_int_param("B", 0, 499)
        config.metric_information.append(
            pyvizier.MetricInformation(
                "latency", goal=pyvizier.ObjectiveMetricGoal.MINIMIZE
            )
        )
        completed = [0] * client_count
        end = time.monotonic() + seconds

        def work(number):
            study = clients.Study.from_study_config(
                config, owner="bench", study_id=f"study-{number}"
            )
            while time.monotonic() < end:
                for trial in study.suggest(count=4, client_id="agent"):
                    trial.complete(pyvizier.Measurement({"latency": 1e-4}))
                    completed[number] += 1

        start = time.monotonic()
        threads = [
            threading.Thread(target=work, args=(number,))
            for number in range(client_count)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        elapsed = time.monotonic() - start
        versions = {
            name: importlib.metadata.version(name)
            for name in ("google-vizier", "grpcio", "sqlalchemy", "protobuf")
        }
        print(
            json.dumps(
                {"trials_per_second": sum(completed) / elapsed, "versions": versions}
            ),
            flush=True,
        )
    os._exit(0)  # its server's threads would keep the process alive


main()
